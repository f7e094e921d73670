/**
 * Internal: meters and observations.
 */
@NullMarked
package io.tierlimit.metrics;

import org.jspecify.annotations.NullMarked;
