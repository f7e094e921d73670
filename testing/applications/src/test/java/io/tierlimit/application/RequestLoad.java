package io.tierlimit.application;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.junit.Poll;

/**
 * Clients that send requests to several instances, one request at a time and to each
 * instance in turn, until they are stopped. Every answer is recorded.
 */
final class RequestLoad implements AutoCloseable {

	private static final int CLIENTS = 4;

	private final List<RunningApplication> instances;

	private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();

	/** Orders the beginnings and ends of requests. */
	private final AtomicLong order = new AtomicLong();

	private final ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);

	private final List<Future<?>> clients = new ArrayList<>();

	private volatile boolean stopped;

	RequestLoad(List<RunningApplication> instances) {
		this.instances = instances;
		for (int i = 0; i < CLIENTS; i++) {
			int first = i;
			this.clients.add(this.threads.submit(() -> send(first)));
		}
	}

	private void send(int first) {
		for (int next = first; !this.stopped; next++) {
			request(next % this.instances.size());
		}
	}

	/** Sends one more request, and records its answer. */
	Answer request(int instance) {
		long began = mark();
		Response response = this.instances.get(instance).getAs("alice", "/orders/1");
		Answer answer = new Answer(instance, began, mark(), response.status(), response.header("RateLimit-Policy"),
				response.header("RateLimit"), response.header("RateLimit-Limit"));
		this.answers.add(answer);
		return answer;
	}

	/**
	 * Returns a point in the order of events: a request ends before it, begins after it,
	 * or is in progress.
	 */
	long mark() {
		return this.order.incrementAndGet();
	}

	/**
	 * Waits until each instance has answered a number of requests that begin after this
	 * call.
	 */
	void awaitAnswers(int count) {
		awaitAnswers(count, (answer) -> true);
	}

	void awaitAnswers(int count, Predicate<Answer> condition) {
		long start = mark();
		Poll.until(() -> hasFailed() || isAnswered(start, count, condition), () -> "no answers");
		if (hasFailed()) {
			stop();
		}
	}

	private boolean hasFailed() {
		return this.clients.stream().anyMatch(Future::isDone);
	}

	private boolean isAnswered(long start, int count, Predicate<Answer> condition) {
		long[] found = new long[this.instances.size()];
		for (Answer answer : this.answers) {
			if (answer.began() > start && condition.test(answer)) {
				found[answer.instance()]++;
			}
		}
		for (long number : found) {
			if (number < count) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Stops the clients, and waits for the answers to all requests that were sent.
	 * @return all answers
	 * @throws IllegalStateException if a request was not answered
	 */
	List<Answer> stop() {
		this.stopped = true;
		for (Future<?> client : this.clients) {
			try {
				client.get();
			}
			catch (Exception ex) {
				throw new IllegalStateException("A request was not answered", ex);
			}
		}
		return List.copyOf(this.answers);
	}

	@Override
	public void close() {
		this.stopped = true;
		this.threads.shutdownNow();
	}

	/**
	 * An answer.
	 *
	 * @param instance the index of the instance
	 * @param began the mark before the request
	 * @param ended the mark after the response
	 * @param status the status
	 * @param policy the header {@code RateLimit-Policy}
	 * @param level the header {@code RateLimit}
	 * @param limit the header {@code RateLimit-Limit}
	 */
	record Answer(int instance, long began, long ended, int status, String policy, String level, String limit) {

		boolean isAllowed() {
			return this.status == 200;
		}

	}

}
