package io.tierlimit.store.redis;

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

	void run(ScriptCall call, Deadline deadline) throws StoreFailure {
		runAll(List.of(call), deadline);
	}

	/** Begins to take from buckets, none of which may occur twice. */
	SharedAcquisition acquisition(List<Charge> charges, Deadline deadline) {
		return new SharedAcquisition(this.runner, this.calls, charges, deadline);
	}

	/** Looks how buckets stand. */
	List<SharedBucket> look(List<BucketKey> keys, Deadline deadline) throws StoreFailure {
		List<ScriptCall> peeks = this.calls.peek(keys);
		try (ScriptSession session = this.runner.open(peeks, deadline)) {
			return session.look(peeks);
		}
	}

	/** Gives back what was taken; what can't be reached in time stays taken. */
	void refund(List<Charge> charges, Deadline deadline) throws StoreFailure {
		runAll(this.calls.refund(charges), deadline);
	}

	/** Makes buckets full. */
	void reset(List<BucketKey> keys, Deadline deadline) throws StoreFailure {
		runAll(this.calls.reset(keys), deadline);
	}

	/** Makes all buckets of a rule full, as far as they are found in time. */
	void resetAll(String rule, Deadline deadline) throws StoreFailure {
		this.runner.scan(this.names.startOf(rule), deadline, (found) -> resetNamed(found, deadline));
	}

	private void resetNamed(List<byte[]> found, Deadline deadline) throws StoreFailure {
		// Most pages of a large Redis have none of the rule's.
		if (!found.isEmpty()) {
			runAll(this.calls.resetNamed(found), deadline);
		}
	}

	private void runAll(List<ScriptCall> all, Deadline deadline) throws StoreFailure {
		try (ScriptSession session = this.runner.open(all, deadline)) {
			StoreFailure failure = session.runAll(all);
			if (failure != null) {
				throw failure;
			}
		}
	}

}
