package io.tierlimit.explorer.holder;

/**
 * A holder in the bucket.
 *
 * @param request the index of its request
 * @param left the ticks until it ends
 * @param age the ticks since the acquisition
 */
record Holder(int request, int left, int age) {

}
