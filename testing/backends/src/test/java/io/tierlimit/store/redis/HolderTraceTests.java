package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.tierlimit.explorer.Model.Step;
import io.tierlimit.explorer.holder.HolderAction;
import io.tierlimit.explorer.holder.HolderAction.Kind;
import io.tierlimit.explorer.holder.HolderModel;
import io.tierlimit.explorer.holder.HolderState;
import io.tierlimit.limit.Concurrency;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.memory.InMemoryBucketStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Tag;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Takes random ways through {@link HolderModel} on the real stores. After each step, the
 * same number of permits is in use.
 */
@Tag("slow")
class HolderTraceTests extends RedisServerTest {

	private static final int WALKS = 20;

	private static final int STEPS = 40;

	private static final int NODES = 2;

	/** Two ticks are the life of a holder, and three are the maximum duration. */
	private static final Duration TICK = Renewals.LIFE.dividedBy(2);

	/** Faults of calls need a client that delays them. */
	private static final Set<Kind> OMITTED = EnumSet.of(Kind.GIVE_UP, Kind.SEND_RENEWAL, Kind.LOSE, Kind.EXECUTE_LATE);

	private final List<RedisBucketStore> nodes = new ArrayList<>();

	private Duration now = Duration.ofDays(20_000);

	@BeforeEach
	void connect() {
		for (int i = 0; i < NODES; i++) {
			SimulatedTime client = new SimulatedTime(TestConnections.client(this.server.port()));
			client.follow(this::ticks);
			this.nodes.add(new RedisBucketStore(client, SimulatedTime.SCRIPT, Instance.SETTINGS,
					new InMemoryBucketStore(this::ticks, 10), new CallLog(), () -> this.now.toNanos()));
		}
	}

	@AfterEach
	void disconnect() {
		this.nodes.forEach(RedisBucketStore::close);
	}

	private long ticks() {
		return TimeUnit.NANOSECONDS.toMicros(this.now.toNanos());
	}

	@RepeatedTest(10)
	void redisAgreesWithTheModel(RepetitionInfo info) {
		Random random = new Random(info.getCurrentRepetition());
		for (int i = 0; i < WALKS; i++) {
			Walk walk = new Walk(2 + random.nextInt(3), 1 + random.nextInt(2), "walk " + i);
			for (int step = 0; step < STEPS && walk.hasNext(); step++) {
				walk.next(random);
			}
			this.nodes.forEach((node) -> node.holders().end());
		}
	}

	/**
	 * One way through the model.
	 */
	private final class Walk {

		private final HolderModel model;

		private final Charge charge;

		private final Map<Integer, AcquireResult> held = new HashMap<>();

		private final List<HolderAction> taken = new ArrayList<>();

		private HolderState state;

		Walk(int requests, int limit, String key) {
			this.model = new HolderModel(requests, limit, 2);
			this.state = this.model.initial();
			this.charge = new Charge(new BucketKey("exports", key + " " + HolderTraceTests.this.now),
					Concurrency.of(limit, TICK.multipliedBy(3)), 1);
		}

		boolean hasNext() {
			return !possible().isEmpty();
		}

		/** A reply is received at once, and the end of a request releases at once. */
		private List<Step<HolderState, HolderAction>> possible() {
			HolderAction last = this.taken.isEmpty() ? null : this.taken.get(this.taken.size() - 1);
			List<Step<HolderState, HolderAction>> steps = this.model.steps(this.state)
				.stream()
				.filter((step) -> !OMITTED.contains(step.action().kind()))
				.toList();
			if (last != null && last.kind() == Kind.EXECUTE) {
				List<Step<HolderState, HolderAction>> seen = only(steps, Kind.SEE, last.index());
				return seen.isEmpty() ? steps : seen;
			}
			return (last != null && last.kind() == Kind.COMPLETE) ? only(steps, Kind.EXECUTE, last.index()) : steps;
		}

		private static List<Step<HolderState, HolderAction>> only(List<Step<HolderState, HolderAction>> steps,
				Kind kind, int index) {
			return steps.stream().filter((step) -> step.action().equals(new HolderAction(kind, index))).toList();
		}

		void next(Random random) {
			List<Step<HolderState, HolderAction>> steps = possible();
			Step<HolderState, HolderAction> step = steps.get(random.nextInt(steps.size()));
			HolderAction action = step.action();
			RedisBucketStore node = HolderTraceTests.this.nodes.get(Math.max(0, action.index()) % NODES);
			boolean acquired = true;
			switch (action.kind()) {
				case EXECUTE -> acquired = execute(action.index(), node, step.next());
				case RENEW -> node.holders().renew();
				case CRASH -> crash(action.index());
				case TICK, TICK_TOO_EARLY -> HolderTraceTests.this.now = HolderTraceTests.this.now.plus(TICK);
				default -> {
				}
			}
			this.state = step.next();
			this.taken.add(action);
			assertThat(acquired).as(this.taken.toString()).isTrue();
			assertThat(HolderTraceTests.this.nodes.get(0).holders(this.charge.key())).as(this.taken.toString())
				.hasSize(this.state.inUse());
		}

		/** Returns whether the store decides as the model does. */
		private boolean execute(int index, RedisBucketStore node, HolderState next) {
			AcquireResult before = this.held.remove(index);
			if (before != null) {
				node.refund(before.charges(), new StoreFailureFlag());
				return true;
			}
			AcquireResult result = node.acquire(List.of(this.charge), new StoreFailureFlag());
			if (result.admitted()) {
				this.held.put(index, result);
			}
			return result.admitted() == next.isAcquired(index);
		}

		/** The instance no longer renews what its requests hold. */
		private void crash(int node) {
			for (int i = node; i < this.held.size() + NODES * 2; i += NODES) {
				AcquireResult lost = this.held.remove(i);
				if (lost != null) {
					lost.charges().forEach(HolderTraceTests.this.nodes.get(node).holders()::remove);
				}
			}
		}

	}

}
