package io.tierlimit.store.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;

import io.tierlimit.store.redis.Breakers.Permit;
import io.tierlimit.store.redis.StoreFailure.Interrupted;
import io.tierlimit.store.redis.StoreFailure.ScriptUnknown;
import io.tierlimit.store.redis.StoreFailure.SlotMoving;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.jspecify.annotations.Nullable;

/**
 * One request's calls of the script, until its deadline: by its digest, and by its text
 * where Redis has forgotten it (after a restart, a failover, {@code SCRIPT FLUSH}).
 * Closing it tells the circuit breakers how their servers did.
 */
final class ScriptSession implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(ScriptSession.class);

	private final ScriptClient client;

	private final BucketScript script;

	private final List<Permit> permits;

	private final Deadline deadline;

	/** Whether somebody has stopped waiting before the servers could answer. */
	private boolean impatient;

	ScriptSession(ScriptClient client, BucketScript script, List<Permit> permits, Deadline deadline) {
		this.client = client;
		this.script = script;
		this.permits = permits;
		this.deadline = deadline;
	}

	Future<List<Object>> send(ScriptCall call) {
		return this.client.send(this.script, call, false);
	}

	/** Waits for what was sent. */
	ScriptReply await(Future<List<Object>> answer, ScriptCall call) throws StoreFailure {
		try {
			return read(answer(answer, call), call.keys().size());
		}
		catch (SlotMoving ex) {
			throw ex;
		}
		catch (Interrupted ex) {
			this.impatient = true;
			throw ex;
		}
		catch (StoreFailure ex) {
			String server = this.client.server(call);
			this.permits.stream()
				.filter((permit) -> permit.server().equals(server))
				.forEach((permit) -> permit.note(ex));
			throw ex;
		}
	}

	private List<Object> answer(Future<List<Object>> sent, ScriptCall call) throws StoreFailure {
		try {
			return this.deadline.get(sent);
		}
		catch (ScriptUnknown ex) {
			return this.deadline.get(this.client.send(this.script, call, true));
		}
	}

	private static ScriptReply read(List<Object> answer, int buckets) throws StoreFailure {
		try {
			return ScriptReply.of(answer, buckets);
		}
		catch (IllegalArgumentException ex) {
			throw StoreFailure.of(ex);
		}
	}

	ScriptReply run(ScriptCall call) throws StoreFailure {
		return await(send(call), call);
	}

	/** Runs calls side by side that look at buckets. */
	List<SharedBucket> look(List<ScriptCall> calls) throws StoreFailure {
		List<Future<List<Object>>> answers = calls.stream().map(this::send).toList();
		List<SharedBucket> buckets = new ArrayList<>(calls.size());
		for (int i = 0; i < calls.size(); i++) {
			buckets.addAll(await(answers.get(i), calls.get(i)).buckets());
		}
		return buckets;
	}

	/** Fails if nobody can wait any more: what was sent is not to be cancelled then. */
	void checkTime() throws StoreFailure {
		this.impatient |= this.deadline.isOver() || Thread.currentThread().isInterrupted();
		if (Thread.currentThread().isInterrupted()) {
			throw new Interrupted(null);
		}
		this.deadline.check();
	}

	/**
	 * Runs several calls side by side. They are sent even if nobody can wait for them any
	 * more.
	 * @return what went wrong, or {@code null} if all were answered
	 */
	@Nullable StoreFailure runAll(List<ScriptCall> calls) {
		List<Future<List<Object>>> answers = calls.stream().map(this::send).toList();
		StoreFailure failure = null;
		for (int i = 0; i < calls.size(); i++) {
			try {
				checkTime();
				await(answers.get(i), calls.get(i));
			}
			catch (StoreFailure ex) {
				logger.debug("A call of Redis failed", ex);
				failure = ex;
			}
		}
		return failure;
	}

	@Override
	public void close() {
		for (Permit permit : this.permits) {
			if (this.impatient && !permit.hasFailed()) {
				permit.giveUp();
			}
			else {
				permit.settle();
			}
		}
	}

}
