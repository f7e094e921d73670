package io.tierlimit.limit;

/**
 * The data that a refund needs about a charge: when the permits were acquired, and which
 * charges came later.
 *
 * @param at the moment in ticks at which the permits were acquired
 * @param charged the count of permits that all charges have consumed from the bucket up
 * to and including this one
 */
public record Receipt(long at, long charged) {

}
