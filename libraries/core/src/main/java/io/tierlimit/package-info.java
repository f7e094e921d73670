/**
 * The API for applications: the limiter, verdicts, the annotation, and rules in code.
 * Everything that an application calls or annotates with is in this package; what it
 * implements is in {@link io.tierlimit.spi}.
 */
@NullMarked
package io.tierlimit;

import org.jspecify.annotations.NullMarked;
