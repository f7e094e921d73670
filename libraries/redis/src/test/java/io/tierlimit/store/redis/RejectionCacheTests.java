package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Overdraft;
import io.tierlimit.limit.PackedState;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.StoredNumbers;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.ChargeOptions;
import io.tierlimit.store.Crowd;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RejectionCache}.
 */
class RejectionCacheTests {

	private static final TokenBucket FAST = new TokenBucket(Rate.parse("1/100ms"), 10);

	private static final TokenBucket SLOW = new TokenBucket(Rate.parse("10/h"));

	private static final long REDIS_NOW = 7_000_000;

	private final AtomicLong nanoTime = new AtomicLong(Long.MAX_VALUE - 1_000_000);

	private final RejectionCache cache = new RejectionCache(100, this.nanoTime::get);

	@Test
	void rejectionHasRemainingPermitsAndWait() {
		rejected(charge("search", FAST, 5), 8);
		assertThat(this.cache.reject(charge("search", FAST, 5)))
			.isEqualTo(new Decision(false, 2, 300_000, 100_000, 800_000));
	}

	@Test
	void waitIsNeverTooShortAfterASlowReply() {
		RejectionCache.CallStart start = this.cache.start(List.of(charge("search", FAST, 1)));
		advance(Duration.ofMillis(30));
		this.cache.put(charge("search", FAST, 1), bucket(FAST, 10), start, 0);
		// Redis may have read its clock just now,
		assertThat(retryAfter(charge("search", FAST, 1))).isEqualTo(100_000);
		advance(Duration.ofMillis(69));
		assertThat(retryAfter(charge("search", FAST, 1))).isEqualTo(31_000);
		advance(Duration.ofMillis(1));
		// or 30 ms earlier, and then the cost is allowed now.
		assertThat(this.cache.reject(charge("search", FAST, 1))).isNull();
	}

	@Test
	void rejectsEveryCostAboveTheRemainingPermits() {
		rejected(charge("search", FAST, 5), 7);
		assertThat(retryAfter(charge("search", FAST, 4))).isEqualTo(100_000);
		assertThat(retryAfter(charge("search", FAST, 10))).isEqualTo(700_000);
		assertThat(retryAfter(charge("search", FAST, 11))).isEqualTo(Decision.NEVER);
		assertThat(this.cache.reject(charge("search", FAST, 3))).isNull();
		assertThat(this.cache.reject(charge("search", FAST, 0))).isNull();
		advance(Duration.ofMillis(100));
		assertThat(this.cache.reject(charge("search", FAST, 4))).isNull();
		assertThat(retryAfter(charge("search", FAST, 5))).isEqualTo(100_000);
	}

	@Test
	void distinguishesBucketsAndLimits() {
		rejected(charge("search", SLOW, 1), 10);
		assertThat(this.cache.reject(charge("other", SLOW, 1))).isNull();
		assertThat(this.cache.reject(charge("search", new TokenBucket(Rate.parse("11/h")), 1))).isNull();
		Charge eve = new Charge(new BucketKey("search", "eve"), SLOW, 1);
		assertThat(this.cache.reject(eve)).isNull();
		assertThat(this.cache.reject(charge("search", new TokenBucket(Rate.parse("10/h")), 1))).isNotNull();
	}

	@Test
	void rejectionExpiresAfterASecond() {
		rejected(charge("search", SLOW, 1), 10);
		advance(Duration.ofSeconds(1));
		this.cache.reject(charge("search", SLOW, 1)); // is to renew it
		assertThat(this.cache.reject(charge("search", SLOW, 1))).isNotNull();
		advance(Duration.ofNanos(1));
		assertThat(this.cache.reject(charge("search", SLOW, 1))).isNull();
		assertThat(this.cache.reject(charge("search", SLOW, 1))).isNull();
	}

	@Test
	void oneRequestCallsRedisBeforeTheEndOfTheSecond() throws Exception {
		rejected(charge("search", SLOW, 1), 10);
		advance(Duration.ofMillis(900));
		assertThat(this.cache.reject(charge("search", SLOW, 1))).isNotNull();
		advance(Duration.ofNanos(1));
		List<Integer> asking = Crowd.run(8,
				(member) -> (int) IntStream.range(0, 1000)
					.filter((request) -> this.cache.reject(charge("search", SLOW, 1)) == null)
					.count());
		assertThat(asking.stream().mapToInt(Integer::intValue).sum()).isOne();
	}

	@Test
	void renewedRejectionLastsAnotherSecond() {
		rejected(charge("search", SLOW, 1), 10);
		advance(Duration.ofMillis(950));
		rejected(charge("search", SLOW, 1), 10);
		advance(Duration.ofMillis(500));
		assertThat(this.cache.reject(charge("search", SLOW, 1))).isNotNull();
	}

	@Test
	void refundRemovesTheRejection() {
		rejected(charge("search", SLOW, 1), 10);
		rejected(charge("other", SLOW, 1), 10);
		this.cache.invalidate(charge("search", SLOW, 1).key());
		assertThat(this.cache.reject(charge("search", SLOW, 1))).isNull();
		assertThat(this.cache.reject(charge("other", SLOW, 1))).isNotNull();
	}

	@Test
	void resetOfARuleRemovesItsRejections() {
		rejected(charge("search", SLOW, 1), 10);
		rejected(new Charge(new BucketKey("search", "eve"), SLOW, 1), 10);
		rejected(charge("other", SLOW, 1), 10);
		this.cache.invalidateAll("search");
		assertThat(this.cache.reject(charge("search", SLOW, 1))).isNull();
		assertThat(this.cache.reject(new Charge(new BucketKey("search", "eve"), SLOW, 1))).isNull();
		assertThat(this.cache.reject(charge("other", SLOW, 1))).isNotNull();
	}

	@Test
	void replyToACallBeforeARefundIsNotCached() {
		List<Charge> charges = List.of(charge("search", SLOW, 1), charge("other", SLOW, 1), charge("third", SLOW, 1));
		RejectionCache.CallStart start = this.cache.start(charges);
		this.cache.invalidate(charges.get(1).key());
		for (int i = 0; i < charges.size(); i++) {
			this.cache.put(charges.get(i), bucket(SLOW, 10), start, i);
		}
		assertThat(this.cache.reject(charges.get(0))).isNotNull();
		assertThat(this.cache.reject(charges.get(1))).isNull();
		assertThat(this.cache.reject(charges.get(2))).isNotNull();
	}

	@Test
	void replyToACallBeforeAResetOfTheRuleIsNotCached() {
		Charge charge = charge("search", SLOW, 1);
		RejectionCache.CallStart start = this.cache.start(List.of(charge));
		this.cache.invalidateAll("search");
		this.cache.put(charge, bucket(SLOW, 10), start, 0);
		assertThat(this.cache.reject(charge)).isNull();
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 10 })
	void cacheIsBounded(int size) {
		RejectionCache small = new RejectionCache(size, this.nanoTime::get);
		List<Charge> charges = IntStream.range(0, 1000).mapToObj((i) -> charge("rule-" + i, SLOW, 1)).toList();
		for (Charge charge : charges) {
			small.put(charge, bucket(SLOW, 10), small.start(List.of(charge)), 0);
			assertThat(small.reject(charge) != null).isEqualTo(size > 0);
			small.invalidate(new BucketKey("unknown", ""));
		}
		small.invalidateAll("unknown");
		assertThat(charges.stream().filter((charge) -> small.reject(charge) != null)).hasSize(size);
	}

	@Test
	void halfFullCacheHasNearlyAllRejections() {
		RejectionCache large = new RejectionCache(1000, this.nanoTime::get);
		List<Charge> charges = IntStream.range(0, 500).mapToObj((i) -> charge("rule-" + i, SLOW, 1)).toList();
		charges.forEach((charge) -> large.put(charge, bucket(SLOW, 10), large.start(List.of(charge)), 0));
		assertThat(charges.stream().filter((charge) -> large.reject(charge) != null)).hasSizeGreaterThan(495);
	}

	@Test
	void newRejectionReplacesTheOldest() {
		RejectionCache small = new RejectionCache(3, this.nanoTime::get);
		List<Charge> charges = IntStream.range(0, 5).mapToObj((i) -> charge("rule-" + i, SLOW, 1)).toList();
		for (Charge charge : charges) {
			small.put(charge, bucket(SLOW, 10), small.start(List.of(charge)), 0);
			advance(Duration.ofMillis(1));
		}
		assertThat(charges.stream().filter((charge) -> small.reject(charge) != null))
			.containsExactlyElementsOf(charges.subList(2, 5));
	}

	@Test
	void optionsDisableTheCache() {
		Charge off = with(new ChargeOptions(false, null, false, Overdraft.NONE, null, true));
		rejected(off, 10);
		assertThat(this.cache.reject(charge("search", SLOW, 1))).isNull();
		rejected(charge("search", SLOW, 1), 10);
		assertThat(this.cache.reject(off)).isNull();
	}

	@Test
	void shadowsNeverReject() {
		rejected(charge("search", SLOW, 1), 10);
		assertThat(this.cache.reject(with(ChargeOptions.SHADOW))).isNull();
		assertThat(this.cache.reject(with(ChargeOptions.ENFORCED))).isNotNull();
	}

	private static Charge with(ChargeOptions options) {
		return new Charge(charge("search", SLOW, 1).key(), SLOW, 1, options);
	}

	private static Charge charge(String rule, TokenBucket limit, long cost) {
		return new Charge(new BucketKey(rule, "ada"), limit, cost);
	}

	private static BucketSnapshot bucket(TokenBucket limit, long consumed) {
		return new BucketSnapshot(
				PackedState.pack(StoredNumbers.tokenBucket(consumed, 0, limit.rate().periodTicks(), REDIS_NOW)),
				REDIS_NOW);
	}

	/** Caches a rejection as if Redis had replied at once. */
	private void rejected(Charge charge, long consumed) {
		this.cache.put(charge, bucket((TokenBucket) charge.limit(), consumed), this.cache.start(List.of(charge)), 0);
	}

	private long retryAfter(Charge charge) {
		Decision decision = Objects.requireNonNull(this.cache.reject(charge));
		assertThat(decision.allowed()).isFalse();
		return decision.retryAfterTicks();
	}

	private void advance(Duration time) {
		this.nanoTime.addAndGet(time.toNanos());
	}

}
