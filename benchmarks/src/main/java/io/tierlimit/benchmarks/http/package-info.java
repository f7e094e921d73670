/**
 * Measures the throughput of applications with a limiter.
 */
@NullMarked
package io.tierlimit.benchmarks.http;

import org.jspecify.annotations.NullMarked;
