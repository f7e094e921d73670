package io.tierlimit.sample.order;

/**
 * The order that a customer sends.
 *
 * @param product the product's number
 * @param quantity how many pieces
 */
record NewOrder(long product, int quantity) {

}
