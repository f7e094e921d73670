package io.tierlimit.store.redis;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.tierlimit.explorer.Explorer;
import io.tierlimit.explorer.acquisition.AcquisitionModel;
import io.tierlimit.explorer.acquisition.Acquisitions;
import io.tierlimit.explorer.acquisition.Action;
import io.tierlimit.explorer.acquisition.Action.Kind;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.Charge;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.StoreListener;
import io.tierlimit.store.Ticker;
import io.tierlimit.store.memory.InMemoryBucketStore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs traces that the explorer has found on a Redis Cluster, and compares the results
 * with the model.
 */
class AcquisitionTraceTests extends RedisClusterTest {

	/** Only a call that a trace does not expect waits so long. */
	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	private static ExecutorService threads;

	private static int stores;

	@BeforeAll
	static void startThreads() {
		threads = Executors.newCachedThreadPool();
	}

	@AfterAll
	static void stopThreads() {
		threads.shutdownNow();
	}

	@ParameterizedTest(name = "{0} requests, {1} permits, {2} faults")
	@CsvSource({ "2, 1, 0, 20", "2, 1, 1, 40", "3, 2, 0, 20" })
	void realStoreDecidesLikeTheModel(int requests, int permits, int faults, int samples) throws Exception {
		Explorer<Acquisitions, Action> explorer = Explorer.explore(new AcquisitionModel(requests, permits, 0, faults));
		List<Acquisitions> last = explorer.last()
			.stream()
			.filter((state) -> explorer.trace(state).stream().noneMatch((action) -> action.kind() == Kind.CRASH))
			.toList();
		int step = Math.max(1, last.size() / samples);
		try (GatedClient client = new GatedClient(ScriptClientFactory.create(ClusterBuckets.factory(cluster), TIMEOUT),
				(call) -> ClusterBuckets.isOn(0, call) ? 0 : 1)) {
			for (int i = 0; i < last.size(); i += step) {
				run(explorer.trace(last.get(i)), last.get(i), requests, permits, client);
			}
		}
	}

	private void run(List<Action> trace, Acquisitions expected, int requests, int permits, GatedClient client)
			throws Exception {
		List<Charge> charges = IntStream.range(0, 2)
			.mapToObj((slot) -> ClusterBuckets.charge("slot", ClusterBuckets.affinityKey(slot, 0), permits))
			.toList();
		RedisStoreSettings settings = new RedisStoreSettings("trace-" + stores++, TIMEOUT, StoreFailurePolicy.DENY,
				BigDecimal.ONE, 0);
		RedisBucketStore store = new RedisBucketStore(client, RedisBuckets.script(), settings,
				new InMemoryBucketStore(Ticker.system(), 1), StoreListener.NONE, System::nanoTime);
		List<Charge> levels = charges.stream().map((charge) -> Instance.cost(0, charge)).toList();
		assertThat(store.peek(levels).decisions()).allMatch((decision) -> decision.remaining() == permits);
		List<CompletableFuture<AcquireResult>> results = new ArrayList<>();
		for (int i = 0; i < requests; i++) {
			int request = i;
			results.add(CompletableFuture
				.supplyAsync(() -> client.run(request, () -> store.acquire(charges, new StoreFailureFlag())), threads));
		}
		for (Action action : trace) {
			switch (action.kind()) {
				case EXECUTE -> client.execute(action.request(), action.slot());
				case SEE -> client.reply(action.request(), action.slot());
				case GIVE_UP -> client.fail(action.request(), action.slot());
				case EXECUTE_LATE -> client.executeLate(action.request(), action.slot());
				default -> throw new IllegalArgumentException(action.toString());
			}
		}
		for (int i = 0; i < requests; i++) {
			assertThat(results.get(i).get(TIMEOUT.toSeconds(), TimeUnit.SECONDS).admitted()).as(i + " after " + trace)
				.isEqualTo(expected.isAdmitted(i));
		}
		for (int slot = 0; slot < 2; slot++) {
			assertThat(store.peek(levels).decisions().get(slot).remaining()).as("slot " + slot + " after " + trace)
				.isEqualTo(expected.left(slot));
		}
	}

}
