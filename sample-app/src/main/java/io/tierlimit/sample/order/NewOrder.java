package io.tierlimit.sample.order;

/**
 * What a customer asks for.
 *
 * @param product the product's number
 * @param quantity how many
 */
record NewOrder(long product, int quantity) {

}
