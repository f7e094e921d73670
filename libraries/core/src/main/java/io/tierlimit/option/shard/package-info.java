/**
 * Internal: buckets that are spread over shards.
 */
@NullMarked
package io.tierlimit.option.shard;

import org.jspecify.annotations.NullMarked;
