package io.tierlimit.store.test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.LockedBuckets;
import io.tierlimit.store.Settlement;
import io.tierlimit.store.StoreFailureFlag;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

/**
 * The contract of a {@link BucketStore}: a JUnit class with one test for each law. The
 * test class of a store extends it and creates the store:
 *
 * <pre class="code">
 * class JdbcBucketStoreTests extends BucketStoreContract {
 *
 *     &#64;Override
 *     protected BucketStore createStore(Ticker ticker) {
 *         deleteAllRows();
 *         return new JdbcBucketStore(jdbc, transactions, ticker);
 *     }
 *
 * }
 * </pre>
 *
 * All times come from the {@code ticker}, which starts in 2023 and changes only when a
 * test changes it. Even a store that normally uses the time of its server must use the
 * ticker in this test. The contract requires JUnit Jupiter and AssertJ, which
 * {@code spring-boot-starter-test} contains. The contract does not test what a store does
 * while it cannot be reached.
 */
public abstract class BucketStoreContract extends BucketStoreConcurrencyContract {

	@Test
	void peekDecidesEveryChargeAloneAndConsumesNothing() {
		acquire(new Charge(USER, FOUR, 1));
		List<Charge> charges = List.of(new Charge(USER, FOUR, 2), new Charge(USER, FOUR, 4), new Charge(IP, FOUR, 4));
		AcquireResult peeked = this.store.peek(charges);
		List<@Nullable Decision> decisions = peeked.decisions();
		assertThat(peeked).isEqualTo(new AcquireResult(true, decisions, charges));
		assertThat(decisions).containsExactly(new Decision(true, 1, 0, SECOND, 3 * SECOND),
				new Decision(false, 3, SECOND, SECOND, SECOND), new Decision(true, 0, 0, SECOND, 4 * SECOND));
		assertThat(this.store.peek(charges)).isEqualTo(peeked);
		assertThat(acquire(charges.get(0)).decisions()).containsExactly(decisions.get(0));
	}

	@Test
	void refundAddsPermitsUpToTheCapacity() {
		acquire(new Charge(USER, FOUR, 3), new Charge(GLOBAL, TEN, 2));
		this.store.refund(List.of(new Charge(USER, FOUR, 2), new Charge(GLOBAL, TEN, 5), new Charge(IP, FOUR, 1)),
				new StoreFailureFlag());
		assertThat(remaining(USER, FOUR)).isEqualTo(3);
		assertThat(remaining(GLOBAL, TEN)).isEqualTo(10);
		assertThat(remaining(IP, FOUR)).isEqualTo(4);
	}

	@Test
	void resultContainsTheChargesForRefunds() {
		AcquireResult result = acquire(new Charge(USER, FOUR, 3), new Charge(GLOBAL, TEN, 2), new Charge(IP, FOUR, 1));
		assertThat(result.charges()).extracting(Charge::cost).containsExactly(3L, 2L, 1L);
		this.store.refund(result.charges(), new StoreFailureFlag());
		assertThat(remaining(USER, FOUR)).isEqualTo(4);
		assertThat(remaining(GLOBAL, TEN)).isEqualTo(10);
		assertThat(remaining(IP, FOUR)).isEqualTo(4);
	}

	@Test
	void resetFillsOnlyItsBucket() {
		acquire(new Charge(USER, FOUR, 3), new Charge(GLOBAL, TEN, 2));
		this.store.reset(USER, new StoreFailureFlag());
		this.store.reset(IP, new StoreFailureFlag());
		assertThat(remaining(USER, FOUR)).isEqualTo(4);
		assertThat(remaining(GLOBAL, TEN)).isEqualTo(8);
		assertThat(remaining(IP, FOUR)).isEqualTo(4);
	}

	@Test
	void resetAllFillsOnlyTheBucketsOfItsRule() {
		List<BucketKey> keys = IntStream.range(0, 1200).mapToObj((i) -> new BucketKey("per-user", "user" + i)).toList();
		keys.forEach((key) -> acquire(new Charge(key, FOUR, 3)));
		acquire(new Charge(new BucketKey("per-user", "ada|{x}", "ada"), FOUR, 3), new Charge(GLOBAL, TEN, 2),
				new Charge(new BucketKey("per-user2", "ada"), TEN, 1),
				new Charge(new BucketKey("er-user", "ada"), TEN, 1));
		assertThat(this.store.resetAll("per-user")).isTrue();
		assertThat(keys).allMatch((key) -> remaining(key, FOUR) == 4);
		assertThat(remaining(new BucketKey("per-user", "ada|{x}", "ada"), FOUR)).isEqualTo(4);
		assertThat(remaining(GLOBAL, TEN)).isEqualTo(8);
		assertThat(remaining(new BucketKey("per-user2", "ada"), TEN)).isEqualTo(9);
		assertThat(remaining(new BucketKey("er-user", "ada"), TEN)).isEqualTo(9);
		assertThat(this.store.resetAll("unknown")).isTrue();
	}

	@Test
	void changedLimitAppliesAtOnce() {
		acquire(new Charge(USER, TEN, 8));
		assertThat(remaining(USER, new TokenBucket(TEN.rate(), 20))).isEqualTo(12);
		assertThat(acquire(new Charge(USER, FOUR, 1)).decisions())
			.containsExactly(new Decision(false, 0, SECOND, SECOND, 4 * SECOND));
		advanceClock(2 * SECOND);
		assertThat(acquire(new Charge(USER, FOUR, 2)).decisions())
			.containsExactly(new Decision(true, 0, 0, SECOND, 4 * SECOND));
	}

	@Test
	void largestAcceptedLimitsAreExact() {
		TokenBucket most = new TokenBucket(new Rate(Rate.MAX_PERMITS, Rate.MAX_PERIOD));
		TokenBucket slowest = new TokenBucket(new Rate(1, Rate.MAX_PERIOD));
		long longest = slowest.rate().periodTicks();
		assertThat(acquire(new Charge(USER, most, Rate.MAX_PERMITS), new Charge(IP, slowest, 1)).decisions())
			.containsExactly(new Decision(true, 0, 0, 316, longest), new Decision(true, 0, 0, longest, longest));
		advanceClock(longest - 1);
		assertThat(acquire(new Charge(USER, most, Rate.MAX_PERMITS)).decisions())
			.containsExactly(new Decision(false, Rate.MAX_PERMITS - 1, 1, 1, 1));
		assertThat(acquire(new Charge(IP, slowest, 1)).decisions()).containsExactly(new Decision(false, 0, 1, 1, 1));
		advanceClock(1);
		assertThat(acquire(new Charge(USER, most, Rate.MAX_PERMITS), new Charge(IP, slowest, 1)).admitted()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "a b", "a:b", "a/b", "{a}", "}{", "*", "\0", "\n", "\r\n", "\t", "\"", "\\",
			"%25", "ä", "a\u0308", "İ", "漢字", "😀", "\ud83d", "Aa", "BB", "AaAa", "AaBB", "(overflow)" })
	void keysWithAnyCharactersAreDistinct(String text) {
		List<BucketKey> keys = List.of(new BucketKey("r", text), new BucketKey("r", text + text + "x"),
				new BucketKey("r" + text + "x", ""), new BucketKey("r", "y" + text), new BucketKey("ry", text + "x"));
		for (int i = 0; i < keys.size(); i++) {
			acquire(new Charge(keys.get(i), TEN, i));
		}
		for (int i = 0; i < keys.size(); i++) {
			assertThat(remaining(keys.get(i), TEN)).as("%s", keys.get(i)).isEqualTo(10 - i);
		}
	}

	@Test
	void keyMayBeLong() {
		BucketKey key = new BucketKey("r", "k".repeat(10_000));
		acquire(new Charge(key, FOUR, 1));
		assertThat(remaining(key, FOUR)).isEqualTo(3);
		assertThat(remaining(new BucketKey("r", "k".repeat(9_999)), FOUR)).isEqualTo(4);
	}

	@RepeatedTest(50)
	void decidesRandomRequestsLikeTheArithmetic(RepetitionInfo seed) {
		RandomRequests requests = new RandomRequests(seed.getCurrentRepetition());
		LockedBuckets exact = new LockedBuckets();
		List<Charge> acquired = List.of();
		for (int i = 0; i < 200; i++) {
			advanceClock(requests.elapse());
			List<Charge> charges = requests.charges();
			switch (requests.oneOf(15)) {
				case 0 -> assertSettledLike(exact, requests.settlements(charges));
				case 1 -> {
					this.store.reset(charges.get(0).key(), new StoreFailureFlag());
					exact.reset(charges.get(0).key(), now());
				}
				case 5 -> {
					this.store.refill(charges.get(0).key(), new StoreFailureFlag());
					exact.refill(charges.get(0).key(), now());
				}
				case 2 -> assertThat(this.store.peek(charges)).as("%s", charges).isEqualTo(exact.peek(charges, now()));
				case 3, 4 -> {
					assertSettledLike(exact, requests.settlements(acquired));
					acquired = List.of();
				}
				default -> {
					AcquireResult result = this.store.acquire(charges, new StoreFailureFlag());
					assertThat(result).as("%s", charges).isEqualTo(exact.acquire(charges, now()));
					acquired = (result.admitted() && requests.oneOf(2) == 0) ? result.charges() : acquired;
				}
			}
		}
	}

	private void assertSettledLike(LockedBuckets exact, List<Settlement> settlements) {
		assertThat(this.store.settle(settlements, new StoreFailureFlag())).as("%s", settlements)
			.isEqualTo(exact.settle(settlements, now()));
	}

	@Test
	void concurrentRequestsAcquireAllOrNothing() throws Exception {
		TokenBucket shared = new TokenBucket(new Rate(100, Rate.MAX_PERIOD));
		List<Callable<Integer>> callers = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			BucketKey own = new BucketKey("per-user", "user" + i);
			callers.add(() -> {
				int admitted = 0;
				for (int k = 0; k < 50; k++) {
					admitted += acquire(new Charge(own, shared, 1), new Charge(GLOBAL, shared, 1)).admitted() ? 1 : 0;
				}
				return admitted;
			});
		}
		ExecutorService threads = Executors.newFixedThreadPool(callers.size());
		try {
			List<Future<Integer>> admitted = threads.invokeAll(callers);
			int sum = 0;
			for (int i = 0; i < admitted.size(); i++) {
				assertThat(remaining(new BucketKey("per-user", "user" + i), shared))
					.isEqualTo(100 - admitted.get(i).get());
				sum += admitted.get(i).get();
			}
			assertThat(sum).isEqualTo(100);
			assertThat(remaining(GLOBAL, shared)).isZero();
		}
		finally {
			threads.shutdownNow();
		}
	}

	@TestFactory
	Stream<DynamicTest> decidesTheVectorsExactly() {
		return LimitVector.all()
			.stream()
			.map((vector) -> dynamicTest(vector.name(), () -> vector.replay(createStore(), this::setClock)));
	}

}
