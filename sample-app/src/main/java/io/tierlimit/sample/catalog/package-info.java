/**
 * What the shop sells.
 */
@NullMarked
package io.tierlimit.sample.catalog;

import org.jspecify.annotations.NullMarked;
