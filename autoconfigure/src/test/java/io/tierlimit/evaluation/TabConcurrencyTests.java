package io.tierlimit.evaluation;

import java.lang.Thread.State;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

import io.tierlimit.key.Caller;
import io.tierlimit.key.KeyHash;
import io.tierlimit.key.KeyHashing;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.redis.Poll;
import io.tierlimit.rule.Limits;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.Selection;
import io.tierlimit.store.InMemoryBucketStore;
import io.tierlimit.store.SimulatedTicker;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whatever serves a request may call annotated methods side by side.
 */
class TabConcurrencyTests {

	private static final Object[] NOTHING = {};

	private final RateLimitEvaluator evaluator = new RateLimitEvaluator(
			new RuleSet(List.of(new Rule("request", Selection.ALL_REQUESTS, Scope.of(Scope.IP),
					new Limits(new TokenBucket(Rate.parse("1/d"), 10))))),
			Map.of(), new KeyHash(KeyHashing.NONE, null), new InMemoryBucketStore(new SimulatedTicker(), 100));

	private final MethodRules service = new MethodRules(
			List.of(new MatchedRule(Objects.requireNonNull(this.evaluator.rule("request")), null)), Map.of());

	@Test
	void callsSideBySideAreChargedToTheRequestOnce() throws InterruptedException {
		Overtaken caller = new Overtaken();
		Tab tab = new Tab(this.evaluator, caller, MethodRules.NONE, () -> false, (verdict) -> {
		});
		caller.overtaking = new Thread(() -> tab.evaluate(this.service, NOTHING), "overtaking");
		tab.evaluate(this.service, NOTHING);
		caller.overtaking.join();
		Verdict left = new RateLimiter(this.evaluator).peek(Claim.of("request", "10.0.0.1").costing(0));
		assertThat(left.decisions().get(0).decision().remaining()).isEqualTo(9);
	}

	/** Lets another thread make the same call while its address is asked for. */
	private static final class Overtaken implements Caller {

		private static final Set<State> DONE_OR_WAITING = Set.of(State.WAITING, State.TERMINATED);

		private final AtomicBoolean asked = new AtomicBoolean();

		private Thread overtaking = new Thread();

		@Override
		public String ip() {
			if (this.asked.compareAndSet(false, true)) {
				this.overtaking.start();
				Poll.until(Duration.ofSeconds(30), () -> DONE_OR_WAITING.contains(this.overtaking.getState()),
						() -> "The other call is " + this.overtaking.getState());
			}
			return "10.0.0.1";
		}

	}

}
