package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.List;

import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;

/**
 * Buckets in Redis, while it can be reached.
 */
final class SharedBuckets {

	private final ScriptRunner runner;

	private final RedisKeys names;

	private final ScriptCalls calls;

	SharedBuckets(ScriptRunner runner, RedisKeys names) {
		this.runner = runner;
		this.names = names;
		this.calls = new ScriptCalls(names, runner::isCluster);
	}

	/** Connects and hands over the script, so that the first request need not wait. */
	void warmUp(Duration most) {
		this.runner.warmUp(this.calls.nothing(), Deadline.in(most));
	}

	/** Whether every server that is needed is called at present. */
	boolean isWell() {
		return this.runner.isWell();
	}

	/** Begins to take from buckets, none of which may occur twice. */
	SharedAcquisition acquisition(List<Charge> charges) {
		return new SharedAcquisition(this.runner, this.calls, charges);
	}

	/** Looks how buckets stand. */
	List<SharedBucket> look(List<BucketKey> keys) throws StoreFailure {
		List<ScriptCall> peeks = this.calls.peek(keys);
		try (ScriptSession session = this.runner.open(peeks)) {
			return session.look(peeks);
		}
	}

	/** Gives back what was taken; what can't be reached in time stays taken. */
	void refund(List<Charge> charges) throws StoreFailure {
		runAll(this.calls.refund(charges));
	}

	/** Makes buckets full. */
	void reset(List<BucketKey> keys) throws StoreFailure {
		runAll(this.calls.reset(keys));
	}

	/** Makes all buckets of a rule full, as far as they are found in time. */
	void resetAll(String rule, Duration most) throws StoreFailure {
		Deadline deadline = Deadline.in(most);
		this.runner.scan(this.names.startOf(rule), deadline, (found) -> resetNamed(found, deadline));
	}

	private void resetNamed(List<byte[]> found, Deadline deadline) throws StoreFailure {
		// Most pages of a large Redis have none of the rule's.
		if (!found.isEmpty()) {
			List<ScriptCall> resets = this.calls.resetNamed(found);
			// A page is hundreds of calls on a Redis Cluster, and no request waits for
			// it.
			runAll(resets, this.runner.open(resets, deadline));
		}
	}

	private void runAll(List<ScriptCall> all) throws StoreFailure {
		runAll(all, this.runner.open(all));
	}

	private static void runAll(List<ScriptCall> all, ScriptSession opened) throws StoreFailure {
		try (ScriptSession session = opened) {
			StoreFailure failure = session.runAll(all);
			if (failure != null) {
				throw failure;
			}
		}
	}

}
