package io.tierlimit.sample.order;

import java.math.BigDecimal;

/**
 * An order of a customer.
 *
 * @param id the order's number
 * @param customer the name of the customer
 * @param product the product's name
 * @param quantity the number of pieces
 * @param price the price of all pieces, in euros
 * @param express whether the order is sent today
 */
record Order(long id, String customer, String product, int quantity, BigDecimal price, boolean express) {

}
