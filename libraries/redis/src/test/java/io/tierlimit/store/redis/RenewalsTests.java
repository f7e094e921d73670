package io.tierlimit.store.redis;

import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

import io.tierlimit.junit.Poll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Renewals}.
 */
class RenewalsTests {

	private final List<String> calls = new CopyOnWriteArrayList<>();

	private final CountDownLatch reply = new CountDownLatch(1);

	private final Renewals renewals = new Renewals(List.of(new Renewals.Renewable() {

		@Override
		public void renew() {
			RenewalsTests.this.calls.add("renew");
			try {
				assertThat(RenewalsTests.this.reply.await(60, TimeUnit.SECONDS)).isTrue();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

		@Override
		public void end() {
			RenewalsTests.this.calls.add("end");
		}

	}));

	@Test
	void earlierRunDoesNotEndTheEntriesOfALaterRun() {
		Set<Thread> others = threads();
		this.renewals.start();
		await(() -> this.calls.size() == 1);
		this.renewals.stop();
		this.renewals.start();
		await(() -> idle(others) == 2);
		this.reply.countDown();
		await(() -> idle(others) == 1 && Collections.frequency(this.calls, "renew") == 2);
		assertThat(this.calls).endsWith("renew");
		this.renewals.stop();
		assertThat(this.calls).endsWith("end");
	}

	@Test
	void runThatIsStoppedBeforeItBeginsDoesNotRenew() {
		Set<Thread> others = threads();
		this.renewals.start();
		await(() -> this.calls.size() == 1);
		this.renewals.stop();
		this.renewals.start();
		this.renewals.stop();
		this.reply.countDown();
		await(() -> others.containsAll(threads()));
		assertThat(this.calls).containsExactly("renew", "end", "end");
	}

	/** The number of threads of this test that wait. */
	private static long idle(Set<Thread> others) {
		Set<Thread> own = threads();
		own.removeAll(others);
		return own.stream().allMatch((thread) -> thread.getState() != Thread.State.RUNNABLE) ? own.size() : 0;
	}

	private static Set<Thread> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().equals("tierlimit-redis-renewal"))
			.collect(Collectors.toCollection(HashSet::new));
	}

	private void await(BooleanSupplier condition) {
		Poll.until(condition, this.calls::toString);
	}

}
