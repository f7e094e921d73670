/**
 * Internal: immutable rules, as they are in force.
 */
@NullMarked
package io.tierlimit.rule;

import org.jspecify.annotations.NullMarked;
