package io.tierlimit.store.redis;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * Executes the calls of several requests, and delivers their replies, in the order that a
 * test determines.
 */
final class GatedClient extends ForwardingClient {

	private static final long LONGEST = 60;

	/** The request of a thread; {@code null} for calls that are executed at once. */
	private final ThreadLocal<@Nullable Integer> request = new ThreadLocal<>();

	private final ToIntFunction<ScriptCall> slots;

	private final Map<Place, BlockingQueue<Call>> sent = new ConcurrentHashMap<>();

	private final Map<Place, Call> open = new ConcurrentHashMap<>();

	private final Map<Place, BlockingQueue<Call>> late = new ConcurrentHashMap<>();

	GatedClient(ScriptClient client, ToIntFunction<ScriptCall> slots) {
		super(client);
		this.slots = slots;
	}

	/** Runs a request in the current thread. */
	<T> T run(int index, Supplier<T> action) {
		this.request.set(index);
		try {
			return action.get();
		}
		finally {
			this.request.remove();
		}
	}

	@Override
	public Future<List<Object>> send(RedisScript<?> script, ScriptCall call, boolean byText) {
		Integer index = this.request.get();
		if (index == null) {
			return this.client.send(script, call, byText);
		}
		Call gated = new Call(() -> this.client.send(script, call, byText), new CompletableFuture<>(),
				new CompletableFuture<>());
		queue(this.sent, new Place(index, this.slots.applyAsInt(call))).add(gated);
		return gated.reply();
	}

	/** Executes the next call of a request to a slot. */
	void execute(int index, int slot) throws Exception {
		Place place = new Place(index, slot);
		Call call = next(this.sent, place);
		call.execute();
		this.open.put(place, call);
	}

	/** Delivers the reply to the last call that was executed. */
	void reply(int index, int slot) throws Exception {
		Call call = Objects.requireNonNull(this.open.remove(new Place(index, slot)));
		call.reply().complete(call.result().get());
	}

	/** Fails the last call to a slot, whether it was executed or not. */
	void fail(int index, int slot) throws Exception {
		Place place = new Place(index, slot);
		Call call = this.open.remove(place);
		if (call == null) {
			call = next(this.sent, place);
			queue(this.late, place).add(call);
		}
		call.reply().completeExceptionally(new IllegalStateException("No reply"));
	}

	/** Executes a call whose reply is not awaited. */
	void executeLate(int index, int slot) throws Exception {
		Place place = new Place(index, slot);
		Call failed = queue(this.late, place).poll();
		((failed != null) ? failed : next(this.sent, place)).execute();
	}

	private static Call next(Map<Place, BlockingQueue<Call>> calls, Place place) throws InterruptedException {
		Call call = queue(calls, place).poll(LONGEST, TimeUnit.SECONDS);
		if (call == null) {
			throw new IllegalStateException("No call at " + place);
		}
		return call;
	}

	private static BlockingQueue<Call> queue(Map<Place, BlockingQueue<Call>> calls, Place place) {
		return calls.computeIfAbsent(place, (key) -> new LinkedBlockingQueue<>());
	}

	private record Place(int request, int slot) {

	}

	/**
	 * A call.
	 *
	 * @param sending sends it
	 * @param result the reply of Redis
	 * @param reply the reply that the request receives
	 */
	private record Call(Supplier<Future<List<Object>>> sending, CompletableFuture<List<Object>> result,
			CompletableFuture<List<Object>> reply) {

		void execute() throws Exception {
			this.result.complete(this.sending.get().get(LONGEST, TimeUnit.SECONDS));
		}

	}

}
