/**
 * A closed loop of checks against buckets in Redis, beside other libraries.
 */
@NullMarked
package io.tierlimit.benchmarks.redis;

import org.jspecify.annotations.NullMarked;
