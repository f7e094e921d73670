/**
 * Load for a running application, and measurements.
 */
@NullMarked
package io.tierlimit.benchmarks;

import org.jspecify.annotations.NullMarked;
