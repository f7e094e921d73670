package io.tierlimit.jdbc;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedRuntimeException;

/**
 * A step that needs the database. After a failure, the next attempt is made after a
 * second. With each further failure, this delay doubles, up to a minute. The first
 * failure and the end of an outage are logged.
 */
public final class RetriedStep {

	private static final Log logger = LogFactory.getLog(RetriedStep.class);

	private static final long FIRST_DELAY = TimeUnit.SECONDS.toMicros(1);

	private static final long MAX_DELAY = TimeUnit.MINUTES.toMicros(1);

	private final String failure;

	private final String end;

	private final Runnable step;

	/**
	 * The delay before the next attempt in microseconds; 0 if the last attempt succeeded.
	 */
	private long delay;

	private long nextAttempt;

	private volatile @Nullable String problem;

	/**
	 * Creates a step.
	 * @param failure the warning of the first failure, without a full stop
	 * @param end the message when the step succeeds again, without a full stop
	 * @param step the step
	 */
	public RetriedStep(String failure, String end, Runnable step) {
		this.failure = failure;
		this.end = end;
		this.step = step;
	}

	/**
	 * Makes an attempt, unless the delay after the last failure has not passed.
	 * @param now the time, in ticks
	 * @return whether an attempt was made and succeeded
	 */
	public boolean run(long now) {
		return (this.delay == 0 || now >= this.nextAttempt) && attempt(now);
	}

	/**
	 * Makes an attempt.
	 * @param now the time, in ticks
	 * @return whether the attempt succeeded
	 */
	public boolean attempt(long now) {
		try {
			this.step.run();
		}
		catch (Throwable ex) { // any other exception would end the writer
			if (this.delay == 0) {
				logger.warn(this.failure + ": " + cause(ex) + ". It is tried again after at most "
						+ Duration.ofMinutes(1).toSeconds() + " seconds, until it succeeds.");
			}
			this.delay = (this.delay == 0) ? FIRST_DELAY : Math.min(2 * this.delay, MAX_DELAY);
			this.nextAttempt = now + this.delay;
			this.problem = this.failure + " (" + shown(ex).getClass().getSimpleName() + ")";
			return false;
		}
		if (this.delay > 0) {
			logger.info(this.end + ".");
			this.delay = 0;
			this.problem = null;
		}
		return true;
	}

	/**
	 * The failure of the last attempt, with the type of its cause, but without the
	 * message of the cause. Thread-safe.
	 * @return the problem; {@code null} if the last attempt succeeded
	 */
	public @Nullable String problem() {
		return this.problem;
	}

	/**
	 * The cause of a failure on one line, without the statement that some drivers append.
	 */
	static String cause(Throwable failure) {
		return shown(failure).toString().lines().findFirst().orElse("");
	}

	/**
	 * The exception to show: for an exception of Spring, its cause, which has the message
	 * of the driver.
	 */
	private static Throwable shown(Throwable failure) {
		return (failure instanceof NestedRuntimeException nested) ? nested.getMostSpecificCause() : failure;
	}

}
