package io.tierlimit.limit;

/**
 * An acquired charge.
 *
 * @param at the time in ticks at which its caller acts
 * @param cost its permits
 * @param receipt its receipt
 */
record Acquired(long at, long cost, Receipt receipt) {

}
