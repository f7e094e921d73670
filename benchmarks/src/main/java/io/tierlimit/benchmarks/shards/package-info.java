/**
 * Simulates buckets that are spread over shards, in virtual time.
 */
@NullMarked
package io.tierlimit.benchmarks.shards;

import org.jspecify.annotations.NullMarked;
