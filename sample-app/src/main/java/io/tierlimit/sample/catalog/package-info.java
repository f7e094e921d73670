/**
 * The products of the shop.
 */
@NullMarked
package io.tierlimit.sample.catalog;

import org.jspecify.annotations.NullMarked;
