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
 * A job that writes a price list in batches. The rule {@code imports} limits the rate of
 * all imports together. The job reserves the permits of each batch, and writes the batch
 * when they are available; no thread waits for them. The imports alternate by batch, so a
 * short list does not wait for the end of a long one.
 */
final class PriceImport {

	private static final int BATCH = 10;

	/** The time to the next attempt if the store is not available. */
	private static final Duration UNKNOWN = Duration.ofSeconds(1);

	private final String partner;

	private final List<Price> rows;

	private final PriceLists prices;

	private final RateLimiter limiter;

	private final TaskScheduler scheduler;

	private int written;

	private State state = State.RUNNING;

	/** The reservation for the next batch, which has not been written yet. */
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
	 * Reserves the first batch. The job then continues by itself.
	 * @throws RateLimitExceededException if too many permits are already reserved; the
	 * job has not started
	 */
	synchronized void start() {
		reserve();
	}

	private void reserve() {
		Reservation reservation = this.limiter.reserve(PermitRequest.of("imports").cost(batch().size()));
		this.pending = reservation;
		after(reservation.delay(), this::write);
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
				// Other imports have reserved the permits. An accepted import is not
				// dropped.
				Duration wait = ex.retryAfter();
				after((wait != null) ? wait : UNKNOWN, this::goOn);
			}
		}
	}

	/** Stops writing, and refunds the permits that are not needed. */
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

	/** The time at which the next batch is due. */
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
	 * The progress of an import.
	 *
	 * @param rows the number of rows
	 * @param written the number of rows that were written
	 * @param state the state of the import
	 */
	record Progress(int rows, int written, State state) {

	}

	/**
	 * The state of an import.
	 */
	enum State {

		RUNNING, DONE, CANCELED

	}

}
