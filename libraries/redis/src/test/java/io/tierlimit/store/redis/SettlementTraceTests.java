package io.tierlimit.store.redis;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.tierlimit.explorer.Explorer;
import io.tierlimit.explorer.Model.Step;
import io.tierlimit.explorer.settlement.SettlementAction;
import io.tierlimit.explorer.settlement.SettlementAction.Kind;
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

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs a trace to each last state of {@link SettlementModel} on the real stores. After
 * each step, the bucket has consumed or owes the same number of permits.
 */
@Tag("slow")
class SettlementTraceTests extends RedisServerTest {

	private static final String NAME = "{0} requests, {1} permits, use {2}, {3} ticks, {4} faults";

	private static final Rate RATE = Rate.parse("1/s");

	private final SimulatedTicker ticker = new SimulatedTicker();

	@ParameterizedTest(name = NAME)
	@CsvSource({ "2, 3, 3, 0, 1", "2, 3, 2, 2, 0", "3, 2, 1, 1, 0" })
	void memoryAgreesWithTheModel(int requests, int permits, int use, int ticks, int faults) {
		BucketStore memory = new InMemoryBucketStore(this.ticker, 100_000);
		run(new SettlementModel(requests, permits, use, ticks, faults), new TokenBucket(RATE, permits), memory);
	}

	@ParameterizedTest(name = NAME)
	@CsvSource({ "2, 3, 3, 0, 1", "2, 3, 2, 2, 0", "3, 2, 1, 1, 0" })
	void redisAgreesWithTheModel(int requests, int permits, int use, int ticks, int faults) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory("localhost", this.server.port());
		factory.start();
		SimulatedTime client = new SimulatedTime(ScriptClientFactory.create(factory, TestConnections.TIMEOUT));
		client.follow(this.ticker);
		try (RedisBucketStore redis = new RedisBucketStore(client, SimulatedTime.SCRIPT, Instance.SETTINGS,
				new InMemoryBucketStore(this.ticker, 10), new CallLog(), System::nanoTime)) {
			run(new SettlementModel(requests, permits, use, ticks, faults), new TokenBucket(RATE, permits), redis);
		}
		finally {
			factory.destroy();
		}
	}

	private void run(SettlementModel model, TokenBucket limit, BucketStore store) {
		Explorer<SettlementState, SettlementAction> explorer = Explorer.explore(model);
		assertThat(explorer.last()).isNotEmpty();
		for (int i = 0; i < explorer.last().size(); i++) {
			List<SettlementAction> trace = explorer.trace(explorer.last().get(i));
			new Replay(model, limit, store, new BucketKey("tokens", "trace " + i), trace).run();
		}
	}

	/**
	 * One trace on a bucket of its own.
	 */
	private final class Replay {

		private final SettlementModel model;

		private final TokenBucket limit;

		private final BucketStore store;

		private final BucketKey key;

		private final List<SettlementAction> trace;

		private final Map<Integer, Charge> charges = new HashMap<>();

		private SettlementState state;

		Replay(SettlementModel model, TokenBucket limit, BucketStore store, BucketKey key,
				List<SettlementAction> trace) {
			this.model = model;
			this.limit = limit;
			this.store = store;
			this.key = key;
			this.trace = trace;
			this.state = model.initial();
		}

		void run() {
			for (SettlementAction action : this.trace) {
				SettlementState next = this.model.steps(this.state)
					.stream()
					.filter((step) -> step.action().equals(action))
					.map(Step::next)
					.findFirst()
					.orElseThrow();
				if (action.kind() == Kind.EXECUTE) {
					execute(action.request(), Objects.requireNonNull(action.call()), next);
				}
				else if (action.kind() == Kind.TICK) {
					SettlementTraceTests.this.ticker.advance(RATE.periodTicks());
				}
				this.state = next;
				assertThat(consumed()).as(action + " in " + this.trace).isEqualTo(next.consumed());
			}
		}

		private void execute(int index, SettlementCall call, SettlementState next) {
			switch (call.operation()) {
				case ACQUIRE -> acquire(index, call.permits(), next);
				case CONSUME -> settle(index, call.permits(), next);
				case RETURN -> settle(index, -call.permits(), next);
			}
		}

		private void acquire(int index, int permits, SettlementState next) {
			AcquireResult result = this.store.acquire(List.of(new Charge(this.key, this.limit, permits)),
					new StoreFailureFlag());
			assertThat(result.admitted()).as(this.trace.toString()).isEqualTo(next.isAcquired(index));
			if (result.admitted()) {
				this.charges.put(index, result.charge(0));
			}
		}

		private void settle(int index, int difference, SettlementState next) {
			Charge charge = Objects.requireNonNull(this.charges.get(index));
			Settlement settlement = new Settlement(charge, charge.cost() + difference, SettlementModel.MAX_DEBT);
			boolean reached = difference > 0 && next.consumed() == this.limit.burst() + SettlementModel.MAX_DEBT;
			assertThat(this.store.settle(List.of(settlement), new StoreFailureFlag())).as(this.trace.toString())
				.containsExactly(new Overrun(next.dropped(index) - this.state.dropped(index), reached));
		}

		/** The bucket is full once it has earned what it has consumed and owes. */
		private long consumed() {
			AcquireResult level = this.store.peek(List.of(new Charge(this.key, this.limit, 0)));
			return Objects.requireNonNull(level.decision(0)).resetTicks() / RATE.periodTicks();
		}

	}

}
