/**
 * Who asks: the caller's facts, and the key and the plan that follow from them.
 */
@NullMarked
package io.tierlimit.key;

import org.jspecify.annotations.NullMarked;
