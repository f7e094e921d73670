package io.tierlimit.limit;

/**
 * A request or a call that holds permits of a {@link Concurrency} limit.
 *
 * @param id identifies the holder within its bucket
 * @param since the time in ticks at which the permits were acquired
 * @param ends the time in ticks from which the permits are available again even if the
 * holder does not release them
 * @param permits the number of permits, 1 or more
 */
public record Holder(long id, long since, long ends, long permits) {

}
