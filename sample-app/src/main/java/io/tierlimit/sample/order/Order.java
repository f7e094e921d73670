package io.tierlimit.sample.order;

import java.math.BigDecimal;

/**
 * What a customer has bought.
 *
 * @param id the order's number
 * @param customer who bought it
 * @param product the product's name
 * @param quantity how many
 * @param price for all of them, in euros
 * @param express whether it is sent today
 */
record Order(long id, String customer, String product, int quantity, BigDecimal price, boolean express) {

}
