package io.tierlimit.store.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import io.tierlimit.store.redis.ScriptClient.ScriptCall;
import org.jspecify.annotations.Nullable;

/**
 * Sends the calls of requests over one connection. Calls that arrive while several others
 * are in flight are combined.
 * <p>
 * A call is sent at once if fewer than {@value #MAX_IN_FLIGHT} calls are in flight.
 * Otherwise it waits for the next reply, or until the waiting requests have
 * {@value #MAX_BUCKETS} buckets, which fill a call, so that a distant server does not
 * limit the number of requests. The thread that receives this reply sends all waiting
 * calls as one, in the order of their arrival: Redis runs the script once, which decides
 * one request after the other.
 * <p>
 * Every request has its own result and its own timeout. If a combined call fails, all its
 * requests fail. A request that is canceled while it waits is not sent. If no request
 * waits for a call any longer, the call is canceled, so that it does not delay other
 * calls.
 */
final class CallQueue {

	/** The number of calls in flight at which further calls wait. */
	static final int MAX_IN_FLIGHT = 4;

	/** The number of buckets at which no further request is added to a call. */
	static final int MAX_BUCKETS = 32;

	private final Function<ScriptCall, CompletableFuture<List<Object>>> connection;

	private final Queue<Request> waiting = new ConcurrentLinkedQueue<>();

	/** The number of buckets of all waiting requests. */
	private final AtomicInteger waitingBuckets = new AtomicInteger();

	private final AtomicInteger inFlight = new AtomicInteger();

	/**
	 * Creates a queue.
	 * @param connection sends a call, and returns its reply
	 */
	CallQueue(Function<ScriptCall, CompletableFuture<List<Object>>> connection) {
		this.connection = connection;
	}

	/**
	 * Sends a call that can be {@linkplain ScriptCallFactory#isCombinable combined}.
	 * @return the reply to this call
	 */
	CompletableFuture<List<Object>> send(ScriptCall call) {
		Request request = new Request(call);
		this.waitingBuckets.addAndGet(call.keys().size());
		this.waiting.add(request);
		sendWaiting();
		return request;
	}

	private void sendWaiting() {
		// Checks again after each round, because another thread may have added a request
		// while this thread had reserved the last place.
		while (!this.waiting.isEmpty() && reservePlace()) {
			List<Request> next = next();
			if (next.isEmpty()) {
				this.inFlight.decrementAndGet();
			}
			else {
				send(next);
			}
		}
	}

	private boolean reservePlace() {
		int count = this.inFlight.get();
		while (count < MAX_IN_FLIGHT || this.waitingBuckets.get() >= MAX_BUCKETS) {
			if (this.inFlight.compareAndSet(count, count + 1)) {
				return true;
			}
			count = this.inFlight.get();
		}
		return false;
	}

	private List<Request> next() {
		List<Request> next = new ArrayList<>();
		Request request = this.waiting.poll();
		for (int buckets = 0; request != null; request = (buckets < MAX_BUCKETS) ? this.waiting.poll() : null) {
			this.waitingBuckets.addAndGet(-request.call.keys().size());
			if (!request.isDone()) {
				next.add(request);
				buckets += request.call.keys().size();
			}
		}
		return next;
	}

	/** Sends requests as one call, whose place is reserved. */
	private void send(List<Request> requests) {
		ScriptCall call = ScriptCallFactory.combine(requests.stream().map((request) -> request.call).toList());
		CompletableFuture<List<Object>> reply = this.connection.apply(call);
		Flight flight = new Flight(requests, reply);
		requests.forEach((request) -> request.flight = flight);
		CompletableFuture<List<Object>> unused = reply
			.whenComplete((result, failure) -> land(requests, result, failure));
		flight.cancelIfUnawaited();
	}

	private void land(List<Request> requests, @Nullable List<Object> reply, @Nullable Throwable failure) {
		this.inFlight.decrementAndGet();
		sendWaiting();
		if (failure == null) {
			complete(requests, (reply != null) ? reply : List.of());
		}
		else if (requests.size() > 1 && StoreFailure.of(failure) instanceof StoreFailure.SlotMoving) {
			// Nothing was executed. The keys of one request may be on the same node.
			for (Request request : requests) {
				this.inFlight.incrementAndGet();
				send(List.of(request));
			}
		}
		else {
			requests.forEach((request) -> request.completeExceptionally(failure));
		}
	}

	private static void complete(List<Request> requests, List<Object> reply) {
		if (requests.size() == 1) {
			requests.get(0).complete(reply);
			return;
		}
		// A reply that is too short is invalid for its last requests.
		int size = reply.size();
		int next = Math.min(1, size);
		List<Object> timestamp = reply.subList(0, next);
		for (Request request : requests) {
			int end = Math.min(next + 1 + request.call.keys().size(), size);
			List<Object> part = new ArrayList<>(1 + end - next);
			part.addAll(timestamp);
			part.addAll(reply.subList(next, end));
			request.complete(part);
			next = end;
		}
	}

	/**
	 * The call of one request.
	 */
	private static final class Request extends CompletableFuture<List<Object>> {

		private final ScriptCall call;

		private volatile @Nullable Flight flight;

		private Request(ScriptCall call) {
			this.call = call;
		}

		@Override
		public boolean cancel(boolean mayInterrupt) {
			boolean canceled = super.cancel(mayInterrupt);
			Flight current = this.flight;
			if (current != null) {
				current.cancelIfUnawaited();
			}
			return canceled;
		}

	}

	/**
	 * A call that was sent, with its requests.
	 */
	private record Flight(List<Request> requests, CompletableFuture<List<Object>> reply) {

		private void cancelIfUnawaited() {
			if (this.requests.stream().allMatch(Request::isDone)) {
				this.reply.cancel(true);
			}
		}

	}

}
