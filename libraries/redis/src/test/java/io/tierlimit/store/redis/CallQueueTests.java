package io.tierlimit.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.Crowd;
import io.tierlimit.store.redis.ScriptClient.ScriptCall;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link CallQueue}.
 */
class CallQueueTests {

	private static final ScriptCallFactory CALLS = new ScriptCallFactory(new RedisKeys("queue"), () -> false);

	/** The calls of {@link #fill} that are still in flight. */
	private final List<Sent> first = new ArrayList<>();

	/** All other calls. */
	private final List<Sent> sent = new ArrayList<>();

	private final CallQueue queue = new CallQueue(this::send);

	private CompletableFuture<List<Object>> send(ScriptCall call) {
		Sent next = new Sent(call, new CompletableFuture<>());
		this.sent.add(next);
		return next.reply;
	}

	private void begin(ScriptCall call) {
		CompletableFuture<List<Object>> unused = this.queue.send(call);
	}

	@Test
	void callIsSentAtOnceAndUnchangedWhileFewAreInFlight() {
		for (int i = 0; i < CallQueue.MAX_IN_FLIGHT; i++) {
			ScriptCall call = call(i, 1);
			begin(call);
			assertThat(this.sent).hasSize(i + 1).last().extracting(Sent::call).isSameAs(call);
		}
	}

	@Test
	void callsThatWaitAreSentTogetherWithTheNextReply() {
		fill();
		begin(call(1, 1));
		begin(call(2, 3));
		begin(call(3, 1));
		assertThat(this.sent).isEmpty();
		reply();
		assertThat(this.sent).hasSize(1);
		ScriptCall combined = this.sent.get(0).call;
		assertThat(names(combined)).containsExactly("queue:1-0:{ada}", "queue:2-0:{ada}", "queue:2-1:{ada}",
				"queue:2-2:{ada}", "queue:3-0:{ada}");
		assertThat(combined.arguments()).containsExactly(call(1, 1).arguments().get(0), call(1, 1).arguments().get(1),
				call(2, 3).arguments().get(1), call(3, 1).arguments().get(1));
	}

	@Test
	void everyRequestReceivesItsOwnResult() throws Exception {
		fill();
		CompletableFuture<List<Object>> one = this.queue.send(call(1, 1));
		CompletableFuture<List<Object>> two = this.queue.send(call(2, 2));
		CompletableFuture<List<Object>> three = this.queue.send(call(3, 1));
		reply();
		this.sent.get(0).reply.complete(List.of(17L, 1L, "a", 0L, "b", "c", "OOM", "d"));
		assertThat(one.get()).containsExactly(17L, 1L, "a");
		assertThat(two.get()).containsExactly(17L, 0L, "b", "c");
		assertThat(three.get()).containsExactly(17L, "OOM", "d");
	}

	/** The session reports such a reply as invalid. */
	@Test
	void lastRequestsOfAShortReplyReceiveTooLittle() throws Exception {
		fill();
		CompletableFuture<List<Object>> one = this.queue.send(call(1, 1));
		CompletableFuture<List<Object>> two = this.queue.send(call(2, 1));
		CompletableFuture<List<Object>> three = this.queue.send(call(3, 1));
		reply();
		this.sent.get(0).reply.complete(List.of(17L, 1L, "a", 1L));
		assertThat(one.get()).containsExactly(17L, 1L, "a");
		assertThat(two.get()).containsExactly(17L, 1L);
		assertThat(three.get()).containsExactly(17L);
	}

	@Test
	void callHasABoundedNumberOfBuckets() {
		fill();
		for (int i = 0; i < 100; i++) {
			begin(call(i, 3));
		}
		assertThat(this.sent).as("whole calls, without any reply")
			.extracting((next) -> next.call.keys().size())
			.containsExactly(33, 33, 33, 33, 33, 33, 33, 33, 33);
		for (int replies = 0; replies < 10; replies++) {
			reply();
		}
		assertThat(this.sent).as("the rest, once fewer than four are in flight")
			.extracting((next) -> next.call.keys().size())
			.containsExactly(33, 33, 33, 3);
	}

	@Test
	void requestThatIsCanceledWhileItWaitsIsNotSent() {
		fill();
		CompletableFuture<List<Object>> canceled = this.queue.send(call(1, 1));
		ScriptCall call = call(2, 1);
		begin(call);
		canceled.cancel(true);
		reply();
		assertThat(this.sent).extracting(Sent::call).containsExactly(call);
	}

	@Test
	void combinedCallIsCanceledWithItsLastRequest() {
		fill();
		CompletableFuture<List<Object>> one = this.queue.send(call(1, 1));
		CompletableFuture<List<Object>> two = this.queue.send(call(2, 1));
		reply();
		CompletableFuture<List<Object>> reply = this.sent.get(0).reply;
		one.cancel(true);
		assertThat(reply).isNotDone();
		two.cancel(true);
		assertThat(reply).isCancelled();
	}

	/** If calls were not canceled, lost replies would delay all later calls. */
	@Test
	void canceledCallsDelayNoOthers() {
		List<CompletableFuture<List<Object>>> lost = fill();
		begin(call(1, 1));
		assertThat(this.sent).isEmpty();
		lost.get(0).cancel(true);
		assertThat(this.sent).hasSize(1);
	}

	@Test
	void allRequestsOfAFailedCallFailAndTheNextAreSent() {
		fill();
		CompletableFuture<List<Object>> one = this.queue.send(call(1, 1));
		CompletableFuture<List<Object>> two = this.queue.send(call(2, 1));
		reply();
		CompletableFuture<List<Object>> next = this.queue.send(call(3, 1));
		IllegalStateException failure = new IllegalStateException("NOSCRIPT");
		this.sent.remove(0).reply.completeExceptionally(failure);
		assertThat(List.of(one, two))
			.allSatisfy((request) -> assertThatExceptionOfType(ExecutionException.class).isThrownBy(request::get)
				.withCause(failure));
		assertThat(next).isNotDone();
	}

	@Test
	void closedConnectionIsReportedToAllRequests() {
		fill();
		CompletableFuture<List<Object>> one = this.queue.send(call(1, 1));
		CompletableFuture<List<Object>> two = this.queue.send(call(2, 1));
		reply();
		this.sent.remove(0).reply.cancel(true);
		assertThatExceptionOfType(CancellationException.class).isThrownBy(one::get);
		assertThatExceptionOfType(CancellationException.class).isThrownBy(two::get);
	}

	/** While a slot moves, the keys of several requests may be on two nodes. */
	@Test
	void requestsAreSentAloneWhileTheirSlotMoves() throws Exception {
		fill();
		CompletableFuture<List<Object>> one = this.queue.send(call(1, 2));
		CompletableFuture<List<Object>> two = this.queue.send(call(2, 2));
		reply();
		IllegalStateException moving = new IllegalStateException("TRYAGAIN Multiple keys request during rehashing");
		this.sent.remove(0).reply.completeExceptionally(moving);
		assertThat(this.sent).extracting((each) -> names(each.call))
			.containsExactly(names(call(1, 2)), names(call(2, 2)));
		this.sent.get(0).reply.complete(List.of(17L, 1L, "a", "b"));
		this.sent.get(1).reply.completeExceptionally(moving);
		assertThat(one.get()).containsExactly(17L, 1L, "a", "b");
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(two::get).withCause(moving);
	}

	@Test
	void connectionThatFailsAtOnceFailsAllRequests() {
		CallQueue broken = new CallQueue(
				(call) -> CompletableFuture.failedFuture(new IllegalStateException("not connected")));
		assertThat(IntStream.range(0, 100).mapToObj((i) -> broken.send(call(i, 1))))
			.allMatch(CompletableFuture::isCompletedExceptionally);
	}

	/**
	 * The waiting requests have fewer buckets than fill a call, so each reply sends one
	 * call.
	 */
	@Test
	void repliesThatArriveAtOnceAreNotNestedDeeply() {
		List<CompletableFuture<List<Object>>> pending = new ArrayList<>();
		List<Long> depths = new ArrayList<>();
		CallQueue failing = new CallQueue((call) -> {
			if (pending.size() < CallQueue.MAX_IN_FLIGHT) {
				pending.add(new CompletableFuture<>());
				return pending.get(pending.size() - 1);
			}
			depths.add(StackWalker.getInstance()
				.walk((frames) -> frames.filter((frame) -> frame.getMethodName().equals("land")).count()));
			return CompletableFuture.failedFuture(new IllegalStateException("not connected"));
		});
		List<CompletableFuture<List<Object>>> requests = IntStream.range(0, 10_000)
			.mapToObj((i) -> failing.send(call(i, 1)))
			.toList();
		pending.forEach((reply) -> reply.completeExceptionally(new IllegalStateException("not connected")));
		assertThat(requests).allMatch(CompletableFuture::isCompletedExceptionally);
		assertThat(depths).hasSizeGreaterThan(300).allMatch((depth) -> depth <= 2);
	}

	@Test
	void everyRequestOfManyThreadsReceivesItsOwnResult() throws Exception {
		int threads = 8;
		ExecutorService replies = Executors.newFixedThreadPool(2);
		CallQueue echo = new CallQueue((call) -> CompletableFuture.supplyAsync(() -> echo(call), replies));
		List<Integer> answered = Crowd.run(threads, (member) -> {
			int own = 0;
			for (int i = 0; i < 5000; i++) {
				ScriptCall call = call(member * 10_000 + i, 1);
				List<Object> reply = echo.send(call).join();
				own += reply.equals(List.of(17L, 1L, names(call).get(0))) ? 1 : 0;
			}
			return own;
		});
		replies.shutdown();
		assertThat(answered).hasSize(threads).containsOnly(5000);
	}

	/** Admits every request, and replies with the names of the buckets. */
	private static List<Object> echo(ScriptCall call) {
		List<Object> reply = new ArrayList<>(List.of(17L));
		for (String name : names(call)) {
			reply.add(1L);
			reply.add(name);
		}
		return reply;
	}

	/** Sends the maximum number of calls that can be in flight. */
	private List<CompletableFuture<List<Object>>> fill() {
		List<CompletableFuture<List<Object>>> filling = IntStream.range(0, CallQueue.MAX_IN_FLIGHT)
			.mapToObj((i) -> this.queue.send(call(1000 + i, 1)))
			.toList();
		this.first.addAll(this.sent);
		this.sent.clear();
		return filling;
	}

	/** Completes the oldest call in flight with an empty reply. */
	private void reply() {
		(this.first.isEmpty() ? this.sent : this.first).remove(0).reply.complete(List.of(17L));
	}

	private static List<String> names(ScriptCall call) {
		return call.keys().stream().map((key) -> new String(key, StandardCharsets.UTF_8)).toList();
	}

	/** The call of one request, on its own buckets. */
	private static ScriptCall call(int number, int buckets) {
		TokenBucket limit = new TokenBucket(Rate.parse("10/s"));
		List<ChargeAttempt> attempts = IntStream.range(0, buckets)
			.mapToObj((i) -> new ChargeAttempt(new Charge(new BucketKey(number + "-" + i, "ada"), limit, 1)))
			.toList();
		return CALLS.acquire(attempts, true).get(0).call();
	}

	private record Sent(ScriptCall call, CompletableFuture<List<Object>> reply) {

	}

}
