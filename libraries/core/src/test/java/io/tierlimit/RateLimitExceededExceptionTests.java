package io.tierlimit;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.evaluation.TestDecision;
import io.tierlimit.event.RejectionLog;
import io.tierlimit.limit.Concurrency;
import io.tierlimit.limit.Decision;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the three kinds of waits of a rejection: known, not known, and never.
 */
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
	void logDistinguishesTheThreeKindsOfWaits() {
		assertThat(logged(UNKNOWN)).endsWith("it is not known when a permit becomes available");
		assertThat(logged(NEVER)).endsWith("it can never be allowed");
		assertThat(logged(SHORT)).endsWith("retry after 1000 ms");
	}

	private static String logged(RuleDecision decision) {
		Logger logger = (Logger) LoggerFactory.getLogger(RejectionLog.class);
		ListAppender<ILoggingEvent> lines = new ListAppender<>();
		lines.start();
		logger.addAppender(lines);
		try {
			new RejectionLog().write(new RateLimitRejectedEvent(decision, null, null, null, Instant.EPOCH));
			return lines.list.get(0).getFormattedMessage();
		}
		finally {
			logger.detachAppender(lines);
		}
	}

	private static RateLimitExceededException exceeded(RuleDecision... violated) {
		return new RateLimitExceededException(new Verdict(Outcome.REJECTED, List.of(violated)));
	}

	private static RuleDecision rejected(String rule, long wait) {
		return new TestDecision(rule, null, false, "", 1, FIVE, new Decision(false, 0, wait, 0, 0), false);
	}

}
