/**
 * Internal: the condition of a rule.
 */
@NullMarked
package io.tierlimit.option.condition;

import org.jspecify.annotations.NullMarked;
