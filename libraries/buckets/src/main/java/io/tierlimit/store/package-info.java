/**
 * Stores of buckets, and the clock: the interfaces that an application implements, and
 * the charges, keys and results that they use.
 */
@NullMarked
package io.tierlimit.store;

import org.jspecify.annotations.NullMarked;
