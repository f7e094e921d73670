package io.tierlimit.sample.partner;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Future;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimitExceededException;
import io.tierlimit.RateLimiter;
import io.tierlimit.Reservation;
import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.TaskScheduler;

/**
 * A job that writes a price list batch by batch, all imports together no faster than the
 * rule {@code imports} allows. Each batch is reserved, and written when its permits have
 * come: no thread waits for that. Whoever reserves next comes after it, so that a short
 * list doesn't wait for a long one to end.
 */
final class PriceImport {

	private static final int BATCH = 10;

	/** If the limit can't be looked up, nobody knows how long that lasts. */
	private static final Duration UNKNOWN = Duration.ofSeconds(1);

	private final String partner;

	private final List<Price> rows;

	private final PriceLists prices;

	private final RateLimiter limiter;

	private final TaskScheduler scheduler;

	private int written;

	private State state = State.RUNNING;

	/** What waits for its permits, of which none has been used. */
	private @Nullable Reservation pending;

	private @Nullable Future<?> next;

	private Instant due = Instant.MIN;

	PriceImport(String partner, List<Price> rows, PriceLists prices, RateLimiter limiter, TaskScheduler scheduler) {
		this.partner = partner;
		this.rows = List.copyOf(rows);
		this.prices = prices;
		this.limiter = limiter;
		this.scheduler = scheduler;
	}

	/**
	 * Reserves the first batch, and goes on by itself.
	 * @throws RateLimitExceededException if too much is reserved already: nothing has
	 * begun
	 */
	synchronized void start() {
		reserve();
	}

	private void reserve() {
		Reservation reservation = this.limiter.reserve(PermitRequest.of("imports").costing(batch().size()));
		this.pending = reservation;
		after(reservation.timeToAct(), this::write);
	}

	private synchronized void write() {
		if (this.state == State.RUNNING) {
			this.pending = null;
			List<Price> batch = batch();
			this.prices.write(this.partner, batch);
			this.written += batch.size();
			goOn();
		}
	}

	private synchronized void goOn() {
		if (this.state == State.RUNNING && this.written == this.rows.size()) {
			this.state = State.DONE;
		}
		if (this.state == State.RUNNING) {
			try {
				reserve();
			}
			catch (RateLimitExceededException ex) {
				// Others were faster. What has been accepted is not dropped.
				Duration wait = ex.retryAfter();
				after((wait != null) ? wait : UNKNOWN, this::goOn);
			}
		}
	}

	/** When it returns nothing more is written, and what is not needed is refunded. */
	synchronized void cancel() {
		if (this.state == State.RUNNING) {
			this.state = State.CANCELED;
			if (this.pending != null) {
				this.pending.cancel();
			}
			if (this.next != null) {
				this.next.cancel(false);
			}
		}
	}

	synchronized Progress progress() {
		return new Progress(this.rows.size(), this.written, this.state);
	}

	/** When its next batch is due. */
	synchronized Instant due() {
		return this.due;
	}

	boolean isOf(String name) {
		return this.partner.equals(name);
	}

	private List<Price> batch() {
		return this.rows.subList(this.written, Math.min(this.written + BATCH, this.rows.size()));
	}

	private void after(Duration wait, Runnable next) {
		this.due = this.scheduler.getClock().instant().plus(wait);
		this.next = this.scheduler.schedule(next, this.due);
	}

	/**
	 * How far an import is.
	 *
	 * @param rows how many there are
	 * @param written how many of them have arrived
	 * @param state what it does
	 */
	record Progress(int rows, int written, State state) {

	}

	/**
	 * What an import does.
	 */
	enum State {

		RUNNING, DONE, CANCELED

	}

}
