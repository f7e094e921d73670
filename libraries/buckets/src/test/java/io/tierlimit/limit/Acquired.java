package io.tierlimit.limit;

/**
 * A charge that was acquired.
 *
 * @param at the moment in ticks at which it acts
 * @param cost its permits
 * @param receipt its receipt
 */
record Acquired(long at, long cost, Receipt receipt) {

}
