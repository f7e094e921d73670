package io.tierlimit.evaluation;

import java.lang.Thread.State;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

import io.tierlimit.PermitRequest;
import io.tierlimit.Verdict;
import io.tierlimit.junit.Poll;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.TestRules;
import io.tierlimit.spi.Caller;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests parallel calls of annotated methods within a request.
 */
class RateLimitTransactionConcurrencyTests {

	private static final Object[] NOTHING = {};

	private final TestEvaluator evaluator = TestEvaluators.of(TestRules.rule("request", 10).scope(Scope.of(Scope.IP)));

	private final MethodRules service = new MethodRules(this.evaluator.matched("request"), Map.of());

	@Test
	void parallelCallsAreChargedToTheRequestOnce() throws InterruptedException {
		ConcurrentCaller caller = new ConcurrentCaller();
		RateLimitTransaction transaction = this.evaluator.begin(caller);
		caller.overtaking = new Thread(() -> transaction.evaluateCall(this.service, NOTHING), "overtaking");
		transaction.evaluateCall(this.service, NOTHING);
		caller.overtaking.join();
		Verdict left = this.evaluator.limiter().peek(PermitRequest.of("request").ip("10.0.0.1").cost(0));
		assertThat(left.decisions().get(0).decision().remaining()).isEqualTo(9);
	}

	/**
	 * Lets another thread make the same call while the address is resolved, and waits for
	 * it. A key resolver of the application may do so.
	 */
	private static final class ConcurrentCaller implements Caller {

		private final AtomicBoolean resolved = new AtomicBoolean();

		private Thread overtaking = new Thread();

		@Override
		public String ip() {
			if (this.resolved.compareAndSet(false, true)) {
				this.overtaking.start();
				Poll.until(Duration.ofSeconds(60), () -> this.overtaking.getState() == State.TERMINATED,
						() -> "The other call is " + this.overtaking.getState());
			}
			return "10.0.0.1";
		}

	}

}
