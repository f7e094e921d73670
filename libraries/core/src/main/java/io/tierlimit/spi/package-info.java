/**
 * The interfaces that applications implement: key, plan and caller resolvers, listeners,
 * rule sources, and the overload signal. Also contains the types that these interfaces
 * use.
 */
@NullMarked
package io.tierlimit.spi;

import org.jspecify.annotations.NullMarked;
