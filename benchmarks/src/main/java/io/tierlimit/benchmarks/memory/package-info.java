/**
 * Measures decisions in memory next to those of other libraries.
 */
@NullMarked
package io.tierlimit.benchmarks.memory;

import org.jspecify.annotations.NullMarked;
