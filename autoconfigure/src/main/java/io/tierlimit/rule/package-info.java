/**
 * What an operator writes: immutable rules.
 */
@NullMarked
package io.tierlimit.rule;

import org.jspecify.annotations.NullMarked;
