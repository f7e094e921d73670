/**
 * The partners, who resell the products.
 */
@NullMarked
package io.tierlimit.sample.partner;

import org.jspecify.annotations.NullMarked;
