/**
 * Explores all states that a small instance of a protocol can reach.
 */
@NullMarked
package io.tierlimit.explorer;

import org.jspecify.annotations.NullMarked;
