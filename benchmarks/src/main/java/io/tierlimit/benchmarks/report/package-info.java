/**
 * Writes results into the page of the benchmarks.
 */
@NullMarked
package io.tierlimit.benchmarks.report;

import org.jspecify.annotations.NullMarked;
