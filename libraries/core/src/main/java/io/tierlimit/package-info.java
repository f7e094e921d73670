/**
 * The API for applications: the limiter, verdicts, the annotation, and rules in code.
 * This package contains everything that applications call, and the annotation. The
 * interfaces that they implement are in {@link io.tierlimit.spi}.
 */
@NullMarked
package io.tierlimit;

import org.jspecify.annotations.NullMarked;
