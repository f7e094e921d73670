package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.tierlimit.store.redis.Breakers.Permit;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link Breakers}.
 */
class BreakersTests {

	private final AtomicInteger opened = new AtomicInteger();

	private final AtomicLong nanoTime = new AtomicLong(Long.MAX_VALUE);

	private final Breakers breakers = new Breakers(this.opened::incrementAndGet, this.nanoTime::get);

	@Test
	void serverThatFailsIsNotCalledAndOthersAre() throws StoreFailure {
		fail("first", 5);
		assertThat(this.opened).hasValue(1);
		assertThat(this.breakers.areClosed()).isFalse();
		assertAway("first");
		assertThat(this.breakers.permits(List.of("second"))).hasSize(1);
		assertAway("second", "first");
	}

	@Test
	void fewFailuresAreNone() throws StoreFailure {
		fail("first", 4);
		assertThat(this.breakers.permits(List.of("first"))).hasSize(1);
		assertThat(this.breakers.areClosed()).isTrue();
	}

	@Test
	void interruptedCallsSayNothing() throws StoreFailure {
		for (int i = 0; i < 20; i++) {
			Permit permit = this.breakers.permits(List.of("first")).get(0);
			permit.note(new StoreFailure("reason", null));
			permit.giveUp();
		}
		assertThat(this.breakers.areClosed()).isTrue();
	}

	@Test
	void serverThatNobodyAsksForAnyMoreIsNotMissed() throws StoreFailure {
		fail("replaced", 5);
		this.nanoTime.addAndGet(Duration.ofSeconds(10).toNanos());
		this.breakers.permits(List.of("replacement")).forEach(Permit::settle);
		assertThat(this.breakers.areClosed()).isFalse();
		this.nanoTime.incrementAndGet();
		assertThat(this.breakers.areClosed()).isTrue();
		assertAway("replaced");
		assertThat(this.breakers.areClosed()).isFalse();
	}

	private void fail(String server, int times) throws StoreFailure {
		for (int i = 0; i < times; i++) {
			Permit permit = this.breakers.permits(List.of(server)).get(0);
			permit.note(new StoreFailure("reason", null));
			permit.settle();
		}
	}

	private void assertAway(String... servers) {
		assertThatExceptionOfType(StoreFailure.Away.class).isThrownBy(() -> this.breakers.permits(List.of(servers)));
	}

}
