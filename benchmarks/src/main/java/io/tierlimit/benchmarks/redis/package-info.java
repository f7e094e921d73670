/**
 * A closed loop of checks against buckets in Redis, by this project and by other
 * libraries.
 */
@NullMarked
package io.tierlimit.benchmarks.redis;

import org.jspecify.annotations.NullMarked;
