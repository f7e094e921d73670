/**
 * Internal: the option that compares a rule with other limits.
 */
@NullMarked
package io.tierlimit.option.candidate;

import org.jspecify.annotations.NullMarked;
