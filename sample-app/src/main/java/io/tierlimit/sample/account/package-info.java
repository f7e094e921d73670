/**
 * The customers of the shop.
 */
@NullMarked
package io.tierlimit.sample.account;

import org.jspecify.annotations.NullMarked;
