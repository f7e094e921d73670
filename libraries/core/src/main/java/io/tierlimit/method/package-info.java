/**
 * Internal: the methods with {@link io.tierlimit.RateLimited}, and their advisor.
 */
@NullMarked
package io.tierlimit.method;

import org.jspecify.annotations.NullMarked;
