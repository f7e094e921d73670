/**
 * The orders of customers.
 */
@NullMarked
package io.tierlimit.sample.order;

import org.jspecify.annotations.NullMarked;
