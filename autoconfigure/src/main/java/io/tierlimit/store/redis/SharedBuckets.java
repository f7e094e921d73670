package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;

/**
 * Buckets in Redis, while it can be reached.
 */
final class SharedBuckets {

	private static final int PROBES = 256;

	private final ScriptRunner runner;

	private final RedisKeys names;

	private final ScriptCalls calls;

	SharedBuckets(ScriptRunner runner, RedisKeys names) {
		this.runner = runner;
		this.names = names;
		this.calls = new ScriptCalls(names, runner::isCluster);
	}

	/** Connects and hands over the script, so that the first request need not wait. */
	void warmUp(Deadline deadline) {
		this.runner.warmUp(this.calls.nothing(), deadline);
	}

	/** The states of the circuit breakers, by their servers. */
	Map<String, String> breakers() {
		return this.runner.breakers();
	}

	/** Whether every server that is needed is called at present. */
	boolean isWell() {
		return this.runner.isWell();
	}

	/** Calls that change nothing, one for every server that has buckets. */
	Collection<ScriptCall> probes() {
		Map<String, ScriptCall> probes = new TreeMap<>();
		// A server has thousands of slots: so many keys meet each.
		for (int i = 0; i < PROBES; i++) {
			// No rule's id begins with a parenthesis.
			ScriptCall probe = this.calls.peek(List.of(new BucketKey("(probe)", Integer.toString(i)))).get(0);
			probes.putIfAbsent(this.runner.server(probe), probe);
			if (!this.runner.isCluster()) {
				break;
			}
		}
		return probes.values();
	}

	void run(ScriptCall call, Duration timeout) throws StoreFailure {
		runAll(List.of(call), timeout);
	}

	/** Begins to take from buckets, none of which may occur twice. */
	SharedAcquisition acquisition(List<Charge> charges, Duration timeout) {
		return new SharedAcquisition(this.runner, this.calls, charges, timeout);
	}

	/** Looks how buckets stand. */
	List<SharedBucket> look(List<BucketKey> keys, Duration timeout) throws StoreFailure {
		List<ScriptCall> peeks = this.calls.peek(keys);
		try (ScriptSession session = this.runner.open(peeks, timeout)) {
			return session.look(peeks);
		}
	}

	/**
	 * Gives back what was taken; what can't be reached in time stays taken. With a
	 * timeout of zero the call is sent and fails, since nobody waits for its reply.
	 */
	void refund(List<Charge> charges, Duration timeout) throws StoreFailure {
		runAll(this.calls.refund(charges), timeout);
	}

	/** Makes buckets full; with a timeout of zero as {@link #refund} does. */
	void reset(List<BucketKey> keys, Duration timeout) throws StoreFailure {
		runAll(this.calls.reset(keys), timeout);
	}

	/** Makes all buckets of a rule full, as far as they are found in time. */
	void resetAll(String rule, Deadline deadline) throws StoreFailure {
		this.runner.scan(this.names.startOf(rule), deadline, (found) -> resetNamed(found, deadline));
	}

	private void resetNamed(List<byte[]> found, Deadline deadline) throws StoreFailure {
		// Most pages of a large Redis have none of the rule's.
		if (!found.isEmpty()) {
			runAll(this.calls.resetNamed(found), deadline.left());
		}
	}

	private void runAll(List<ScriptCall> all, Duration timeout) throws StoreFailure {
		try (ScriptSession session = this.runner.open(all, timeout)) {
			StoreFailure failure = session.runAll(all);
			if (failure != null) {
				throw failure;
			}
		}
	}

}
