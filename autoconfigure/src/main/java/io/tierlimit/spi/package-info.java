/**
 * The interfaces that applications implement: key, plan and caller resolvers, listeners,
 * the rejection handler, the clock, and stores, with the types that they use.
 */
@NullMarked
package io.tierlimit.spi;

import org.jspecify.annotations.NullMarked;
