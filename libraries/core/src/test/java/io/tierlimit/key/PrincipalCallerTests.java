package io.tierlimit.key;

import java.security.Principal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import io.tierlimit.junit.Poll;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.PlanResolver;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PrincipalCallerTests {

	private static final Principal ALICE = () -> "alice";

	@Test
	void threadThatNeedsThePlanWaitsForTheThreadThatResolvesIt() {
		CountDownLatch resolving = new CountDownLatch(1);
		CountDownLatch resolved = new CountDownLatch(1);
		Caller caller = caller((known) -> {
			resolving.countDown();
			await(resolved);
			return "pro";
		});
		CompletableFuture<String> first = CompletableFuture.supplyAsync(caller::plan);
		await(resolving);
		CompletableFuture<String> second = new CompletableFuture<>();
		Thread other = new Thread(() -> second.complete(caller.plan()));
		other.start();
		Poll.until(Duration.ofSeconds(60), () -> second.isDone() || other.getState() == Thread.State.WAITING,
				() -> "The other thread is " + other.getState());
		resolved.countDown();
		assertThat(List.of(first.join(), second.join())).containsExactly("pro", "pro");
	}

	@Test
	void resolverThatReadsThePlanGetsNone() {
		assertThat(caller((known) -> "not " + known.plan()).plan()).isEqualTo("not null");
	}

	private static Caller caller(PlanResolver plans) {
		return new PrincipalCaller(
				new IdentityResolver(null, (principal) -> List.of(), (principal, claim) -> null, plans)) {

			@Override
			protected Principal principal() {
				return ALICE;
			}

		};
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
