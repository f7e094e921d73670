package io.tierlimit.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.tierlimit.store.redis.CircuitBreakers.Permit;
import io.tierlimit.store.redis.ScriptClient.ScriptCall;
import io.tierlimit.store.redis.StoreFailure.CallSkipped;
import io.tierlimit.store.redis.StoreFailure.NotAwaited;
import io.tierlimit.store.redis.StoreFailure.ScriptUnknown;
import io.tierlimit.store.redis.StoreFailure.SlotMoving;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.script.RedisScript;

/**
 * Calls of the script that belong together. A call sends the digest of the script, or its
 * source if Redis no longer has the script (after a restart, a failover or {@code SCRIPT
 * FLUSH}). Each call can use the whole timeout to wait for its reply. After a call has
 * failed, later calls are not awaited. When the session is closed, it reports to the
 * circuit breakers which servers have failed.
 */
final class ScriptSession implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(ScriptSession.class);

	/**
	 * The time that a background call waits. It is longer than the timeout of requests,
	 * because a pause of this instance must not be treated as a failure.
	 */
	private static final Duration BACKGROUND_TIMEOUT = Duration.ofSeconds(5);

	private final ScriptClient client;

	private final RedisScript<?> script;

	private final List<Permit> permits;

	private final Duration timeout;

	private final LongSupplier nanoTime;

	/** The last call that failed. */
	private @Nullable StoreFailure failure;

	/** Whether a call was sent whose reply was not awaited. */
	private boolean hasUnawaited;

	ScriptSession(ScriptClient client, RedisScript<?> script, List<Permit> permits, Duration timeout,
			LongSupplier nanoTime) {
		this.client = client;
		this.script = script;
		this.permits = permits;
		this.timeout = timeout;
		this.nanoTime = nanoTime;
	}

	/**
	 * A session for calls that no request waits for. It ignores the circuit breakers and
	 * is never closed. {@link #send} and {@link #answer} keep no state, so several
	 * threads may call them.
	 */
	static ScriptSession inBackground(ScriptClient client, RedisScript<?> script, LongSupplier nanoTime) {
		return new ScriptSession(client, script, List.of(), BACKGROUND_TIMEOUT, nanoTime);
	}

	Sent send(ScriptCall call) {
		return send(call, false);
	}

	private Sent send(ScriptCall call, boolean byText) {
		Future<List<Object>> answer = this.client.send(this.script, call, byText);
		return new Sent(call, answer, Deadline.in(this.timeout, this.nanoTime));
	}

	/** Waits for the reply to a call. */
	Reply await(Sent sent) throws StoreFailure {
		try {
			return read(answer(sent), sent.call().keys().size());
		}
		catch (SlotMoving ex) {
			throw ex;
		}
		catch (NotAwaited ex) {
			this.hasUnawaited = true;
			throw ex;
		}
		catch (StoreFailure ex) {
			this.failure = ex;
			String server = this.client.server(sent.call());
			this.permits.stream()
				.filter((permit) -> permit.server().equals(server))
				.forEach((permit) -> permit.recordFailure(ex));
			throw ex;
		}
	}

	/**
	 * Waits for a reply, whatever it contains, without a report to the circuit breakers.
	 */
	List<Object> answer(Sent sent) throws StoreFailure {
		try {
			return sent.deadline().get(sent.future());
		}
		catch (ScriptUnknown ex) {
			checkAwaited();
			Sent again = send(sent.call(), true);
			return again.deadline().get(again.future());
		}
	}

	private static Reply read(List<Object> answer, int buckets) throws StoreFailure {
		check(answer, buckets);
		if (!(answer.get(0) instanceof Long now) || !(answer.get(1) instanceof Long admitted)) {
			throw new StoreFailure("Invalid reply of the script: " + answer, null);
		}
		try {
			List<BucketSnapshot> found = new ArrayList<>(buckets);
			for (Object value : answer.subList(2, answer.size())) {
				found.add(new BucketSnapshot(value, now));
			}
			return new Reply(admitted == 1, admitted >= 0, found);
		}
		catch (IllegalArgumentException ex) {
			throw StoreFailure.of(ex);
		}
	}

	/** Fails if the reply is an error, or does not have an element for each bucket. */
	static void check(List<Object> answer, int buckets) throws StoreFailure {
		if (answer.size() > 1 && answer.get(1) instanceof byte[] error) {
			throw new StoreFailure(new String(error, StandardCharsets.UTF_8).strip(), null);
		}
		if (answer.size() != buckets + 2) {
			throw new StoreFailure("Invalid reply of the script: " + answer, null);
		}
	}

	/** Runs several calls in parallel that read buckets. */
	List<BucketSnapshot> peek(List<ScriptCall> calls) throws StoreFailure {
		List<Sent> all = calls.stream().map(this::send).toList();
		List<BucketSnapshot> buckets = new ArrayList<>(calls.size());
		for (Sent sent : all) {
			buckets.addAll(await(sent).buckets());
		}
		return buckets;
	}

	/**
	 * Fails if the request no longer waits for replies.
	 */
	void checkAwaited() throws NotAwaited {
		checkInterruption();
		if (this.failure != null || this.timeout.isZero() || this.timeout.isNegative()) {
			throw new NotAwaited("the request no longer waits", null);
		}
	}

	private static void checkInterruption() throws NotAwaited {
		if (Thread.currentThread().isInterrupted()) {
			throw NotAwaited.interrupted(null);
		}
	}

	/**
	 * Runs several calls in parallel. If the request no longer waits for replies, the
	 * calls are only sent, and a call that cannot be sent at once is skipped.
	 * @param replies receives the replies, in the order of the calls
	 * @return the first failure, or {@code null} if there were replies to all
	 */
	@Nullable StoreFailure runAll(List<ScriptCall> calls, Consumer<Reply> replies) {
		try {
			checkAwaited();
		}
		catch (NotAwaited ex) {
			this.hasUnawaited = true;
			return sendUnawaited(calls) ? ex
					: new CallSkipped("it does not reply, and no thread is idle for more unawaited calls");
		}
		List<Sent> all = calls.stream().map(this::send).toList();
		StoreFailure first = null;
		for (Sent sent : all) {
			try {
				// A call that was sent must not be canceled.
				checkInterruption();
				replies.accept(await(sent));
			}
			catch (StoreFailure ex) {
				logger.debug("A call to Redis failed", ex);
				this.hasUnawaited |= ex instanceof NotAwaited;
				first = (first != null) ? first : ex;
			}
		}
		return first;
	}

	private boolean sendUnawaited(List<ScriptCall> calls) {
		boolean sent = true;
		for (ScriptCall call : calls) {
			sent &= this.client.sendUnawaited(this.script, call);
		}
		return sent;
	}

	/** The last failure, even if it did not affect the result. */
	@Nullable StoreFailure failure() {
		return this.failure;
	}

	@Override
	public void close() {
		this.permits.forEach((permit) -> permit.end(!this.hasUnawaited));
	}

	/**
	 * A reply of the script.
	 *
	 * @param admitted whether all charges were acquired
	 * @param counted whether rejections were counted for bans, if the call requires this
	 * @param buckets the buckets before the call, in the order of the keys
	 */
	record Reply(boolean admitted, boolean counted, List<BucketSnapshot> buckets) {

	}

	/**
	 * A call that was sent.
	 */
	record Sent(ScriptCall call, Future<List<Object>> future, Deadline deadline) {

	}

}
