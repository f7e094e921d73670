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
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.memory.InMemoryBucketStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Tag;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Takes random ways through {@link HolderModel} on the real stores. After each step, the
 * same number of permits is in use.
 */
@Tag("slow")
class HolderTraceTests extends RedisServerTest {

	private static final int WALKS = 20;

	private static final int STEPS = 40;

	/** Two ticks are the life of a holder, and three are the maximum duration. */
	private static final Duration TICK = Renewals.LIFE.dividedBy(2);

	/** Faults of calls need a client that delays them. */
	private static final Set<Kind> OMITTED = EnumSet.of(Kind.GIVE_UP, Kind.SEND_RENEWAL, Kind.LOSE, Kind.EXECUTE_LATE);

	private final List<RedisBucketStore> nodes = new ArrayList<>();

	private LettuceConnectionFactory factory;

	private Duration now = Duration.ofDays(20_000);

	@BeforeEach
	void connect() {
		this.factory = new LettuceConnectionFactory("localhost", this.server.port());
		this.factory.start();
		for (int i = 0; i < 2; i++) {
			SimulatedTime client = new SimulatedTime(ScriptClientFactory.create(this.factory, TestConnections.TIMEOUT));
			client.follow(this::ticks);
			this.nodes.add(new RedisBucketStore(client, SimulatedTime.SCRIPT, Instance.SETTINGS,
					new InMemoryBucketStore(this::ticks, 10), new CallLog(), () -> this.now.toNanos()));
		}
	}

	@AfterEach
	void disconnect() {
		this.nodes.forEach(RedisBucketStore::close);
		this.factory.destroy();
	}

	private long ticks() {
		return TimeUnit.NANOSECONDS.toMicros(this.now.toNanos());
	}

	@RepeatedTest(10)
	void redisAgreesWithTheModel(RepetitionInfo info) {
		Random random = new Random(info.getCurrentRepetition());
		for (int i = 0; i < WALKS; i++) {
			int requests = 2 + random.nextInt(3);
			walk(new Walk(requests, 1 + random.nextInt(2), 2, this.nodes.get(0), this.nodes.get(1), "walk " + i),
					random);
			this.nodes.forEach((node) -> node.holders().end());
		}
	}

	@RepeatedTest(10)
	void memoryAgreesWithTheModelWithoutFaults(RepetitionInfo info) {
		Random random = new Random(info.getCurrentRepetition());
		BucketStore memory = new InMemoryBucketStore(this::ticks, 100);
		for (int i = 0; i < WALKS; i++) {
			walk(new Walk(2 + random.nextInt(3), 1 + random.nextInt(2), 0, memory, memory, "walk " + i), random);
		}
	}

	private void walk(Walk walk, Random random) {
		for (int i = 0; i < STEPS && walk.hasNext(); i++) {
			walk.next(random);
		}
	}

	/**
	 * One way through the model.
	 */
	private final class Walk {

		private final HolderModel model;

		private final List<BucketStore> instances;

		private final Charge charge;

		private final Map<Integer, AcquireResult> held = new HashMap<>();

		private final List<HolderAction> taken = new ArrayList<>();

		private HolderState state;

		Walk(int requests, int limit, int faults, BucketStore first, BucketStore second, String key) {
			this.model = new HolderModel(requests, limit, faults);
			this.state = this.model.initial();
			this.instances = List.of(first, second);
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
			BucketStore instance = this.instances.get(Math.max(0, action.index()) % this.instances.size());
			boolean acquired = true;
			switch (action.kind()) {
				case EXECUTE -> acquired = execute(action.index(), instance, step.next());
				case RENEW -> renew(instance);
				case CRASH -> crash(action.index());
				case TICK, TICK_TOO_EARLY -> HolderTraceTests.this.now = HolderTraceTests.this.now.plus(TICK);
				default -> {
				}
			}
			this.state = step.next();
			this.taken.add(action);
			assertThat(acquired).as(this.taken.toString()).isTrue();
			assertThat(this.instances.get(0).holders(this.charge.key())).as(this.taken.toString())
				.hasSize(this.state.inUse());
		}

		/** Returns whether the store decides as the model does. */
		private boolean execute(int index, BucketStore instance, HolderState next) {
			AcquireResult before = this.held.remove(index);
			if (before != null) {
				instance.refund(before.charges(), new StoreFailureFlag());
				return true;
			}
			AcquireResult result = instance.acquire(List.of(this.charge), new StoreFailureFlag());
			if (result.admitted()) {
				this.held.put(index, result);
			}
			return result.admitted() == next.isAcquired(index);
		}

		private static void renew(BucketStore instance) {
			if (instance instanceof RedisBucketStore redis) {
				redis.holders().renew();
			}
		}

		/** The instance no longer renews what its requests hold. */
		private void crash(int instance) {
			for (int i = instance; i < this.held.size() + this.instances.size() * 2; i += this.instances.size()) {
				AcquireResult lost = this.held.remove(i);
				if (lost != null && this.instances.get(instance) instanceof RedisBucketStore redis) {
					lost.charges().forEach(redis.holders()::remove);
				}
			}
		}

	}

}
