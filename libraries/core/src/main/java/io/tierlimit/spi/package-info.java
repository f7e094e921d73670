/**
 * The interfaces that applications implement: key, plan and caller resolvers, listeners,
 * rule sources, and the signal of overload, with the types that they use.
 */
@NullMarked
package io.tierlimit.spi;

import org.jspecify.annotations.NullMarked;
