/**
 * Internal: the limits of plans.
 */
@NullMarked
package io.tierlimit.option.plan;

import org.jspecify.annotations.NullMarked;
