package io.tierlimit.web;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.tierlimit.evaluation.Claim;
import io.tierlimit.evaluation.EvaluationObserver;
import io.tierlimit.evaluation.MatchedRule;
import io.tierlimit.evaluation.MethodRules;
import io.tierlimit.evaluation.Pause;
import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.evaluation.RateLimiter;
import io.tierlimit.evaluation.Stage;
import io.tierlimit.evaluation.Tab;
import io.tierlimit.evaluation.WaitingRoom;
import io.tierlimit.evaluation.Watchers;
import io.tierlimit.key.Caller;
import io.tierlimit.key.KeyHash;
import io.tierlimit.key.KeyHashing;
import io.tierlimit.limit.LeakyBucket;
import io.tierlimit.limit.Rate;
import io.tierlimit.rule.Charging;
import io.tierlimit.rule.HeaderVisibility;
import io.tierlimit.rule.Limits;
import io.tierlimit.rule.Mode;
import io.tierlimit.rule.Reservations;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.Selection;
import io.tierlimit.rule.StorePolicy;
import io.tierlimit.store.InMemoryBucketStore;
import io.tierlimit.store.SimulatedTicker;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import org.junit.jupiter.api.Test;

import org.jspecify.annotations.Nullable;
import org.springframework.mock.web.MockAsyncContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What a container may tell of a held request, which no container here can be made to
 * tell at will.
 */
class HeldRequestsTests {

	private final SimulatedTicker ticker = new SimulatedTicker();

	private final InterruptedPause pause = new InterruptedPause();

	private final RateLimitEvaluator evaluator = new RateLimitEvaluator(
			new RuleSet(List.of(new Rule("queue", Selection.ALL_REQUESTS, Scope.of(),
					new Limits(new LeakyBucket(Rate.parse("10/s"))), "1", Mode.ENFORCE, HeaderVisibility.SHOWN,
					StorePolicy.STANDARD, new Reservations(0, Duration.ofSeconds(1)), Charging.STANDARD))),
			Map.of(), new KeyHash(KeyHashing.NONE, null), new InMemoryBucketStore(this.ticker, 100),
			new Watchers(EvaluationObserver.NONE, List::of), new WaitingRoom(1, this.pause));

	private final HeldRequests held = new HeldRequests(true);

	private final MockHttpServletRequest request = new MockHttpServletRequest();

	private final MockHttpServletResponse response = new MockHttpServletResponse();

	@Test
	void clientThatGoesAwayGivesItsReservationAndItsSeatBack() throws IOException {
		this.request.setAsyncSupported(true);
		waiting();
		Tab tab = waiting();
		assertThat(this.held.holds(tab, this.request, this.response)).isTrue();
		assertThat(nextWait()).isEqualTo(Duration.ofMillis(200));
		MockAsyncContext async = (MockAsyncContext) Objects.requireNonNull(this.request.getAsyncContext());
		for (AsyncListener listener : List.copyOf(async.getListeners())) {
			listener.onError(new AsyncEvent(async, new IOException("broken pipe")));
		}
		assertThat(nextWait()).isEqualTo(Duration.ofMillis(100));
		assertThat(waiting().takeTurn()).as("the only seat is free").isNotNull();
		this.pause.next.forEach(Runnable::run);
		assertThat(nextWait()).as("nothing is given back twice").isEqualTo(Duration.ofMillis(200));
	}

	@Test
	void clientThatGoesAwayWhenItsTurnHasComeUsesItsReservation() throws IOException {
		this.request.setAsyncSupported(true);
		waiting();
		this.held.holds(waiting(), this.request, this.response);
		MockAsyncContext async = (MockAsyncContext) Objects.requireNonNull(this.request.getAsyncContext());
		List<AsyncListener> listeners = List.copyOf(async.getListeners());
		this.pause.next.forEach(Runnable::run);
		for (AsyncListener listener : listeners) {
			listener.onError(new AsyncEvent(async, new IOException("broken pipe")));
		}
		assertThat(nextWait()).isEqualTo(Duration.ofMillis(200));
	}

	@Test
	void requestThatCanNotBeHeldGivesItsReservationAndItsSeatBack() {
		MockHttpServletRequest unable = new MockHttpServletRequest() {

			@Override
			public AsyncContext startAsync(ServletRequest started, @Nullable ServletResponse answer) {
				throw new IllegalStateException("on purpose");
			}

		};
		unable.setAsyncSupported(true);
		waiting();
		Tab tab = waiting();
		assertThatIllegalStateException().isThrownBy(() -> this.held.holds(tab, unable, this.response));
		assertThat(nextWait()).isEqualTo(Duration.ofMillis(100));
		assertThat(waiting().takeTurn()).as("the only seat is free").isNotNull();
	}

	@Test
	void requestThatCanNotBeAsynchronousParksItsThread() throws IOException {
		waiting();
		Tab tab = waiting();
		assertThat(this.held.holds(tab, this.request, this.response)).isFalse();
		assertThat(this.request.isAsyncStarted()).isFalse();
		assertThat(this.pause.parked).containsExactly(Duration.ofMillis(100));
	}

	@Test
	void interruptGivesTheReservationBack() {
		waiting();
		Tab tab = waiting();
		this.pause.interrupts = true;
		assertThatExceptionOfType(InterruptedIOException.class)
			.isThrownBy(() -> this.held.holds(tab, this.request, this.response));
		assertThat(Thread.interrupted()).isTrue();
		assertThat(nextWait()).isEqualTo(Duration.ofMillis(100));
	}

	private Tab waiting() {
		Tab tab = new Tab(this.evaluator, Caller.UNKNOWN, MethodRules.NONE, () -> false, (verdict) -> {
		});
		tab.holdLater(true);
		tab.evaluate(List.of(new MatchedRule(Objects.requireNonNull(this.evaluator.rule("queue")), null)), Stage.ONLY);
		return tab;
	}

	private Duration nextWait() {
		return Objects.requireNonNull(
				new RateLimiter(this.evaluator).peek(Claim.of("queue")).decisions().get(0).decision().retryAfter());
	}

	private static final class InterruptedPause implements Pause {

		private final List<Duration> parked = new ArrayList<>();

		private final List<Runnable> next = new ArrayList<>();

		private boolean interrupts;

		@Override
		public long nanoTime() {
			return 0;
		}

		@Override
		public void await(Duration time) throws InterruptedException {
			if (this.interrupts) {
				throw new InterruptedException();
			}
			this.parked.add(time);
		}

		@Override
		public void thenRun(Duration time, Runnable after) {
			this.next.add(after);
		}

	}

}
