package io.tierlimit.store.redis;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.Charge;
import io.tierlimit.store.Crowd;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.StoreListener.CallOutcome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisBucketStore} with requests that wait for the replies to other
 * requests and then share a call.
 */
class CombinedCallsTests extends RedisServerTest {

	private Instance instance;

	private ObservedCalls client;

	private RedisBucketStore store;

	@BeforeEach
	void start() {
		this.instance = Instance.on(this.network.port());
		this.client = new ObservedCalls(ScriptClientFactory.create(this.instance.factory, TestConnections.TIMEOUT));
		this.store = new RedisBucketStore(this.client, RedisBuckets.script(), Instance.SETTINGS, this.instance.local,
				this.instance.calls, System::nanoTime);
		assertThat(this.store.resetAll("none")).isTrue();
	}

	@AfterEach
	void stop() {
		this.store.close();
		this.instance.close();
	}

	/** The numbers of bytes are for one request, with names of 22 characters. */
	@ParameterizedTest
	@CsvSource({ "1, 75, 90", "4, 255, 335" })
	void requestsThatQueueUpShareACall(int tiers, int sent, int received) throws Exception {
		Charge[] charges = IntStream.range(0, tiers)
			.mapToObj((i) -> Instance.of(1_000_000, "tier-" + i))
			.toArray(Charge[]::new);
		this.instance.request(1, charges);
		int requests = CallQueue.MAX_IN_FLIGHT + CallQueue.MAX_BUCKETS / tiers;
		this.server.resetStatistics();
		this.instance.calls.next();
		assertThat(together(requests, this.network::heal, charges)).isEqualTo(Tally.stored(requests, requests));
		// The traffic of each INFO command is included in the next one.
		long output = TestConnections.info(this.server, "total_net_output_bytes");
		assertThat(output / requests).isLessThanOrEqualTo(received);
		assertThat(TestConnections.info(this.server, "total_net_input_bytes") / requests).isLessThanOrEqualTo(sent);
		assertThat(this.server.calls()).containsEntry("evalsha", CallQueue.MAX_IN_FLIGHT + 1L)
			.containsEntry("time", CallQueue.MAX_IN_FLIGHT + 1L)
			.containsEntry("set", (long) requests * tiers);
		assertThat(this.instance.calls.next()).as("the listener has a call for each request")
			.hasSize(requests)
			.containsOnly(CallOutcome.ANSWERED);
		assertThat(this.instance.left(charges[0])).isEqualTo(1_000_000 - 1 - requests);
	}

	@Test
	void everyRequestSendsAMissingScript() throws Exception {
		this.server.command("SCRIPT", "FLUSH");
		assertThat(together(20, this.network::heal, Instance.ten("ten"))).isEqualTo(Tally.stored(20, 10));
	}

	@Test
	void everyRequestFailsWithItsConnection() throws Exception {
		this.instance.calls.next();
		assertThat(together(20, this.network::cut, Instance.ten("ten"))).isEqualTo(Tally.alone(20, 10));
		assertThat(this.instance.calls.next()).hasSize(20).containsOnly(CallOutcome.FAILED);
		assertThat(this.store.status().reachable()).isFalse();
		this.network.heal();
	}

	/** Each request is decided as if it were alone. Only a write requires memory. */
	@Test
	void requestThatNeedsNoMemoryIsRejectedNextToOthersThatDo() throws Exception {
		Charge fresh = Instance.ten("fresh");
		Charge exhausted = Instance.ten("exhausted");
		this.instance.request(10, exhausted);
		this.server.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
		this.server.command("CONFIG", "SET", "maxmemory", "1");
		Tally tally = together(20, this.network::heal, (request) -> List.of((request % 2 == 0) ? fresh : exhausted));
		assertThat(tally).isEqualTo(Tally.stored(10, 0).and(Tally.alone(10, 10)));
		this.server.command("CONFIG", "SET", "maxmemory", "0");
		assertThat(this.instance.left(fresh)).isEqualTo(10);
	}

	private Tally together(int requests, Runnable next, Charge... charges) throws Exception {
		return together(requests, next, (request) -> List.of(charges));
	}

	/**
	 * Makes requests at the same time, without a connection until all of them have begun:
	 * a few calls are in flight, and the other requests wait.
	 */
	private Tally together(int requests, Runnable next, IntFunction<List<Charge>> charges) throws Exception {
		AtomicReference<Tally> all = new AtomicReference<>(Tally.NONE);
		this.network.swallow();
		Runnable allBegun = this.client.awaitingMore(requests);
		Crowd.run(requests + 1, (member) -> {
			if (member < requests) {
				AcquireResult result = this.store.acquire(charges.apply(member), new StoreFailureFlag());
				all.accumulateAndGet(Tally.of(result), Tally::and);
			}
			else {
				allBegun.run();
				next.run();
			}
			return 0;
		});
		return Objects.requireNonNull(all.get());
	}

}
