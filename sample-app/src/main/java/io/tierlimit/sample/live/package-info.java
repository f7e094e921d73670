/**
 * A page on which one sees buckets drain and refill.
 */
@NullMarked
package io.tierlimit.sample.live;

import org.jspecify.annotations.NullMarked;
