package io.tierlimit.sample.partner;

import java.math.BigDecimal;

/**
 * One row of a price list.
 *
 * @param product the product's number
 * @param price the partner's price of one piece, in euros
 */
record Price(long product, BigDecimal price) {

}
