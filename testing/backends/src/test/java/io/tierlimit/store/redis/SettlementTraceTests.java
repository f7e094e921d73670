package io.tierlimit.store.redis;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.tierlimit.explorer.Explorer;
import io.tierlimit.explorer.Model.Step;
import io.tierlimit.explorer.settlement.SettlementAction;
import io.tierlimit.explorer.settlement.SettlementCall;
import io.tierlimit.explorer.settlement.SettlementModel;
import io.tierlimit.explorer.settlement.SettlementState;
import io.tierlimit.limit.Overrun;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.Settlement;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.memory.InMemoryBucketStore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs a trace to each last state of {@link SettlementModel} on the real stores. After
 * each step, the bucket has consumed or owes the same number of permits. Traces that do
 * the same to a store run once.
 */
@Tag("slow")
class SettlementTraceTests extends RedisServerTest {

	private static final Rate RATE = Rate.parse("1/s");

	private final SimulatedTicker ticker = new SimulatedTicker();

	@ParameterizedTest(name = "{0} requests, {1} permits, use {2}, {3} ticks, {4} faults")
	@CsvSource({ "2, 3, 3, 0, 1", "2, 3, 2, 2, 0", "3, 2, 1, 1, 0" })
	void storesAgreeWithTheModel(int requests, int permits, int use, int ticks, int faults) {
		SimulatedTime client = new SimulatedTime(TestConnections.client(this.server.port()));
		client.follow(this.ticker);
		try (RedisBucketStore redis = new RedisBucketStore(client, SimulatedTime.SCRIPT, Instance.SETTINGS,
				new InMemoryBucketStore(this.ticker, 10), new CallLog(), System::nanoTime)) {
			SettlementModel model = new SettlementModel(requests, permits, use, ticks, faults);
			List<BucketStore> stores = List.of(new InMemoryBucketStore(this.ticker, 100_000), redis);
			run(model, new TokenBucket(RATE, permits), stores);
		}
	}

	private void run(SettlementModel model, TokenBucket limit, List<BucketStore> stores) {
		Explorer<SettlementState, SettlementAction> explorer = Explorer.explore(model);
		assertThat(explorer.last()).isNotEmpty();
		Set<List<StoreStep>> different = new LinkedHashSet<>();
		explorer.last().forEach((last) -> different.add(storeSteps(model, explorer.trace(last))));
		int traces = 0;
		for (List<StoreStep> steps : different) {
			BucketKey key = new BucketKey("tokens", "trace " + traces++);
			stores.forEach((store) -> new Replay(limit, store, key, steps).run());
		}
	}

	/** The steps that reach the store. No other step changes the bucket. */
	private static List<StoreStep> storeSteps(SettlementModel model, List<SettlementAction> trace) {
		List<StoreStep> steps = new ArrayList<>();
		SettlementState state = model.initial();
		for (SettlementAction action : trace) {
			SettlementState next = model.steps(state)
				.stream()
				.filter((step) -> step.action().equals(action))
				.map(Step::next)
				.findFirst()
				.orElseThrow();
			switch (action.kind()) {
				case EXECUTE -> steps.add(new StoreStep(action, next.isAcquired(action.request()),
						next.dropped(action.request()) - state.dropped(action.request()), next.consumed()));
				case TICK -> steps.add(new StoreStep(action, false, 0, next.consumed()));
				default -> assertThat(next.consumed()).as(action + " in " + trace).isEqualTo(state.consumed());
			}
			state = next;
		}
		return steps;
	}

	/**
	 * A step that reaches the store, and its results in the model.
	 */
	private record StoreStep(SettlementAction action, boolean acquired, long dropped, long consumed) {

	}

	/**
	 * The steps of a trace on a bucket of its own.
	 */
	private final class Replay {

		private final TokenBucket limit;

		private final BucketStore store;

		private final BucketKey key;

		private final List<StoreStep> steps;

		private final Map<Integer, Charge> charges = new HashMap<>();

		Replay(TokenBucket limit, BucketStore store, BucketKey key, List<StoreStep> steps) {
			this.limit = limit;
			this.store = store;
			this.key = key;
			this.steps = steps;
		}

		void run() {
			for (StoreStep step : this.steps) {
				SettlementCall call = step.action().call();
				if (call == null) {
					SettlementTraceTests.this.ticker.advance(RATE.periodTicks());
				}
				else {
					execute(step, call);
				}
				assertThat(consumed()).as("%s in %s", step, this.steps).isEqualTo(step.consumed());
			}
		}

		private void execute(StoreStep step, SettlementCall call) {
			switch (call.operation()) {
				case ACQUIRE -> acquire(step, call.permits());
				case CONSUME -> settle(step, call.permits());
				case RETURN -> settle(step, -call.permits());
			}
		}

		private void acquire(StoreStep step, int permits) {
			AcquireResult result = this.store.acquire(List.of(new Charge(this.key, this.limit, permits)),
					new StoreFailureFlag());
			assertThat(result.admitted()).as("%s in %s", step, this.steps).isEqualTo(step.acquired());
			if (result.admitted()) {
				this.charges.put(step.action().request(), result.charge(0));
			}
		}

		private void settle(StoreStep step, int difference) {
			Charge charge = Objects.requireNonNull(this.charges.get(step.action().request()));
			Settlement settlement = new Settlement(charge, charge.cost() + difference, SettlementModel.MAX_DEBT);
			boolean reached = difference > 0 && step.consumed() == this.limit.burst() + SettlementModel.MAX_DEBT;
			assertThat(this.store.settle(List.of(settlement), new StoreFailureFlag())).as("%s in %s", step, this.steps)
				.containsExactly(new Overrun(step.dropped(), reached));
		}

		/** The bucket is full once it has earned what it has consumed and owes. */
		private long consumed() {
			AcquireResult level = this.store.peek(List.of(new Charge(this.key, this.limit, 0)));
			return Objects.requireNonNull(level.decision(0)).resetTicks() / RATE.periodTicks();
		}

	}

}
