/**
 * Tests of stores: the contract of {@code BucketStore}, and vectors of the arithmetic of
 * limits.
 */
@NullMarked
package io.tierlimit.store.test;

import org.jspecify.annotations.NullMarked;
