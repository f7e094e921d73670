package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;

import io.tierlimit.junit.Poll;
import io.tierlimit.limit.LeakyBucket;
import io.tierlimit.limit.Overdraft;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.Receipt;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.ChargeOptions;
import io.tierlimit.store.Crowd;
import io.tierlimit.store.StoreFailureFlag;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for limits that several instances share by {@link RedisBucketStore}.
 */
class SharedLimitTests extends RedisServerTest {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final int THREADS = 4;

	@Test
	void instancesWithDifferentClocksShareLimits() throws Exception {
		Charge narrow = Instance.of(300, "narrow");
		Charge wide = Instance.of(1000, "wide");
		try (Instance first = Instance.on(this.server.port()); Instance second = Instance.on(this.server.port())) {
			second.ticker.advance(Duration.ofHours(1));
			Crowd.run(THREADS, (member) -> {
				Instance instance = (member % 2 == 0) ? first : second;
				return instance.request(250, narrow, wide).admitted();
			});
			assertThat(first.all().and(second.all())).isEqualTo(Tally.stored(1000, 300));
			assertThat(first.left(narrow)).isZero();
			assertThat(second.left(wide)).isEqualTo(700);
			assertThat(first.local.size() + second.local.size()).isZero();
		}
	}

	/** A request that starts after the reply to another request has its permits later. */
	@Test
	void reservationsOfSeveralInstancesAreInOrder() throws Exception {
		Charge queue = Instance.with(new ChargeOptions(false, null, true, Overdraft.ofPermits(100_000), null, true),
				new Charge(new BucketKey("queue", "all"), new LeakyBucket(Rate.parse("1/h")), 1));
		Queue<Turn> turns = new ConcurrentLinkedQueue<>();
		Crowd.run(THREADS, (member) -> {
			try (Instance instance = Instance.on(this.server.port())) {
				for (int i = 0; i < 200; i++) {
					long sent = System.nanoTime();
					AcquireResult result = instance.acquire(queue);
					turns.add(Turn.of(sent, System.nanoTime(), result));
				}
			}
			return 0;
		});
		List<Long> times = turns.stream().map(Turn::act).sorted().toList();
		assertThat(times).hasSize(THREADS * 200);
		for (int i = 1; i < times.size(); i++) {
			assertThat(times.get(i) - times.get(i - 1)).isCloseTo(Duration.ofHours(1).toNanos() / 1000,
					Offset.offset((i == 1) ? Duration.ofMinutes(1).toNanos() / 1000 : 0L));
		}
		List<Turn> byReply = turns.stream().sorted(Comparator.comparing(Turn::replied)).toList();
		for (Turn later : turns) {
			byReply.stream()
				.takeWhile((earlier) -> earlier.replied() < later.sent())
				.reduce((first, second) -> second)
				.ifPresent((earlier) -> assertThat(later.act()).isGreaterThan(earlier.act()));
		}
	}

	/** A request, with the time at which its permits are earned. */
	private record Turn(long sent, long replied, long act) {

		static Turn of(long sent, long replied, AcquireResult result) {
			Receipt receipt = Objects.requireNonNull(result.charge(0).receipt());
			return new Turn(sent, replied, receipt.at() + Objects.requireNonNull(result.decision(0)).delayTicks());
		}

	}

	@Test
	void allKeysExpireAfterAStorm() throws Exception {
		Instance instance = use(Instance.on(this.server.port()));
		Crowd.run(THREADS, (member) -> {
			for (int i = 0; i < 500; i++) {
				storm(instance);
			}
			return 0;
		});
		assertThat(instance.all().stored()).isEqualTo(THREADS * 500);
		assertThat(keys()).isNotEmpty()
			.allSatisfy((key) -> assertThat(Long.parseLong(this.server.command("PTTL", key)))
				// A key that has expired in the meantime is ignored.
				.isNotEqualTo(-1));
		Poll.until(PATIENCE, () -> this.server.command("DBSIZE").equals("0"), () -> "left: " + keys());
	}

	/** Acquires, refunds and resets, on buckets that are full again in 100 to 600 ms. */
	private static void storm(Instance instance) {
		ThreadLocalRandom random = ThreadLocalRandom.current();
		Charge first = brief(random.nextInt(50), 100);
		Charge second = brief(random.nextInt(50), 600);
		AcquireResult result = instance.acquire(first, second);
		if (result.admitted() && random.nextInt(4) == 0) {
			instance.refund(result);
		}
		if (random.nextInt(20) == 0) {
			instance.store.reset(first.key(), new StoreFailureFlag());
		}
		if (random.nextInt(100) == 0) {
			instance.store.resetAll("full-after-100");
		}
	}

	private static Charge brief(int key, int millis) {
		TokenBucket limit = new TokenBucket(new Rate(20, Duration.ofMillis(millis)));
		return new Charge(new BucketKey("full-after-" + millis, "key-" + key), limit, 1);
	}

	private List<String> keys() {
		return Arrays.asList(this.server.command("KEYS", "*").split("\n", -1));
	}

}
