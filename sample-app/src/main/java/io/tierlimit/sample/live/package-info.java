/**
 * A page that shows how buckets drain and refill.
 */
@NullMarked
package io.tierlimit.sample.live;

import org.jspecify.annotations.NullMarked;
