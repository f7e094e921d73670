/**
 * Internal: buckets that are spread over several keys of a store.
 */
@NullMarked
package io.tierlimit.store.shard;

import org.jspecify.annotations.NullMarked;
