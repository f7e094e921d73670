/**
 * Measures decisions in memory, and compares them with other libraries.
 */
@NullMarked
package io.tierlimit.benchmarks.memory;

import org.jspecify.annotations.NullMarked;
