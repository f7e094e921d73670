/**
 * Measures decisions in memory beside those of other libraries.
 */
@NullMarked
package io.tierlimit.benchmarks.memory;

import org.jspecify.annotations.NullMarked;
