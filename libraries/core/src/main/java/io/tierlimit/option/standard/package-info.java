/**
 * Internal: all options, in the order in which they are called.
 */
@NullMarked
package io.tierlimit.option.standard;

import org.jspecify.annotations.NullMarked;
