package io.tierlimit.sample.order;

/**
 * The order that a customer sends.
 *
 * @param product the product's number
 * @param quantity the number of pieces
 */
record NewOrder(long product, int quantity) {

}
