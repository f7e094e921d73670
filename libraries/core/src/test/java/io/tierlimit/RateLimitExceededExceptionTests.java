package io.tierlimit;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.tierlimit.Verdict.Outcome;
import io.tierlimit.evaluation.TestDecision;
import io.tierlimit.event.RejectionLog;
import io.tierlimit.limit.Concurrency;
import io.tierlimit.limit.Decision;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the three kinds of waits of a rejection: known, not known, and never.
 */
@ExtendWith(OutputCaptureExtension.class)
class RateLimitExceededExceptionTests {

	private static final Concurrency FIVE = Concurrency.of(5, Duration.ofHours(1));

	private static final RuleDecision UNKNOWN = rejected("exports", Decision.UNKNOWN);

	private static final RuleDecision NEVER = rejected("large", Decision.NEVER);

	private static final RuleDecision SHORT = rejected("short", 1_000_000);

	private static final RuleDecision LONG = rejected("long", 60_000_000);

	@Test
	void waitThatIsNotKnownIsNotNever() {
		RateLimitExceededException exceeded = exceeded(UNKNOWN);
		assertThat(exceeded.retryAfter()).isNull();
		assertThat(exceeded).hasMessageContaining("'exports' (it is not known when a permit becomes available)")
			.hasMessageNotContaining("never");
	}

	@Test
	void outcomeWithoutAViolatedRuleHasNoWait() {
		assertThat(new RateLimitExceededException(new Verdict(Outcome.DENIED, List.of())).retryAfter()).isNull();
	}

	@Test
	void longestKnownWaitIsTheWait() {
		assertThat(exceeded(UNKNOWN, LONG, SHORT).retryAfter()).isEqualTo(Duration.ofMinutes(1));
		assertThat(exceeded(SHORT, LONG, UNKNOWN)).hasMessageContainingAll("'short' (retry after PT1S)",
				"'long' (retry after PT1M)", "'exports' (it is not known");
	}

	@Test
	void rejectionThatCanNeverBeAllowedHasNoWait() {
		for (RateLimitExceededException exceeded : List.of(exceeded(LONG, NEVER), exceeded(NEVER, UNKNOWN),
				exceeded(UNKNOWN, LONG, NEVER))) {
			assertThat(exceeded.retryAfter()).isNull();
			assertThat(exceeded).hasMessageContaining("'large' (can never be allowed)");
		}
	}

	@Test
	void logDistinguishesTheThreeKindsOfWaits(CapturedOutput output) {
		for (RuleDecision decision : List.of(UNKNOWN, NEVER, SHORT)) {
			new RejectionLog().write(new RateLimitRejectedEvent(decision, null, null, null, Instant.EPOCH));
		}
		assertThat(output.getOut().lines())
			.anyMatch((line) -> line.endsWith("it is not known when a permit becomes available"))
			.anyMatch((line) -> line.endsWith("it can never be allowed"))
			.anyMatch((line) -> line.endsWith("retry after 1000 ms"));
	}

	private static RateLimitExceededException exceeded(RuleDecision... violated) {
		return new RateLimitExceededException(new Verdict(Outcome.REJECTED, List.of(violated)));
	}

	private static RuleDecision rejected(String rule, long wait) {
		return new TestDecision(rule, null, false, "", 1, FIVE, new Decision(false, 0, wait, 0, 0), false);
	}

}
