package io.tierlimit.store.memory;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.function.Supplier;

import com.sun.management.ThreadMXBean;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.ChargeOptions;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.StoreFailureFlag;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class InMemoryBucketStoreAllocationTests {

	private static final int WARM_UP = 20_000;

	private static final int MEASURED = 1_000;

	private static final TokenBucket PLENTY = new TokenBucket(Rate.parse("1000000/s"), Rate.MAX_PERMITS);

	private static final TokenBucket NONE_LEFT = new TokenBucket(Rate.parse("1/d"));

	private static final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

	private final SimulatedTicker ticker = new SimulatedTicker();

	private final InMemoryBucketStore store = new InMemoryBucketStore(this.ticker, 1_000);

	private final StoreFailureFlag failureFlag = new StoreFailureFlag();

	private final Charge rejected = charge("rejected", NONE_LEFT);

	/** Keeps the results reachable, so that their allocation is not optimized away. */
	private volatile Object last = "";

	@BeforeEach
	void consumeTheOnlyPermit() {
		this.store.acquire(List.of(this.rejected), this.failureFlag);
	}

	@Test
	void admittedRequestAllocatesOnlyItsResult() {
		assertThatOnlyTheResultIsAllocated(List.of(charge("a", PLENTY)));
	}

	@Test
	void rejectedRequestAllocatesOnlyItsResult() {
		assertThatOnlyTheResultIsAllocated(List.of(this.rejected));
	}

	@Test
	void admittedRequestOnSeveralBucketsAllocatesOnlyItsResult() {
		assertThatOnlyTheResultIsAllocated(List.of(charge("c", PLENTY), charge("a", PLENTY), charge("b", PLENTY),
				new Charge(this.rejected.key(), NONE_LEFT, 1, ChargeOptions.SHADOW), charge("d", PLENTY)));
	}

	@Test
	void rejectedRequestOnSeveralBucketsAllocatesOnlyItsResult() {
		assertThatOnlyTheResultIsAllocated(
				List.of(charge("c", PLENTY), this.rejected, charge("a", PLENTY), charge("b", PLENTY)));
	}

	private void assertThatOnlyTheResultIsAllocated(List<Charge> charges) {
		boolean admitted = charges.stream().noneMatch((charge) -> charge.limit() == NONE_LEFT && !charge.shadow());
		long answerAlone = bytes(() -> result(charges, admitted));
		assertThat(answerAlone).isGreaterThan(charges.size() * 40L);
		assertThat(bytes(() -> {
			this.ticker.advance(1);
			return this.store.acquire(charges, this.failureFlag);
		})).isEqualTo(answerAlone);
	}

	private static AcquireResult result(List<Charge> charges, boolean admitted) {
		Decision[] decisions = new Decision[charges.size()];
		for (int i = 0; i < decisions.length; i++) {
			decisions[i] = new Decision(true, i, i, i, i);
		}
		long[] receipts = new long[2 * decisions.length];
		return admitted ? AcquireResult.admitted(charges, decisions, receipts)
				: AcquireResult.rejected(charges, decisions);
	}

	private long bytes(Supplier<AcquireResult> supplier) {
		for (int i = 0; i < WARM_UP; i++) {
			this.last = supplier.get();
		}
		long least = Long.MAX_VALUE;
		// Compiling a running loop may allocate memory, so the minimum is compared.
		for (int round = 0; round < 5; round++) {
			long before = threads.getCurrentThreadAllocatedBytes();
			for (int i = 0; i < MEASURED; i++) {
				this.last = supplier.get();
			}
			least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
		}
		assertThat(this.last).isInstanceOf(AcquireResult.class);
		return least / MEASURED;
	}

	private static Charge charge(String key, TokenBucket limit) {
		return new Charge(new BucketKey("rule", key), limit, 1);
	}

}
