package io.tierlimit.limit;

/**
 * The data that a refund needs about a charge: when the permits were acquired, and which
 * charges came later.
 *
 * @param at the time in ticks at which the permits were acquired
 * @param charged the number of permits that all charges on the bucket have consumed, up
 * to and including this charge
 */
public record Receipt(long at, long charged) {

}
