package io.tierlimit.graphql;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import graphql.GraphQLError;
import io.tierlimit.RateLimitExceededException;
import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.evaluation.TestDecision;
import io.tierlimit.limit.Concurrency;
import io.tierlimit.limit.Decision;
import io.tierlimit.web.header.HeaderStyle;
import io.tierlimit.web.header.RateLimitHeaders;
import io.tierlimit.web.header.RetryAfterJitter;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RateLimitErrorResolverTests {

	private final RateLimitErrorResolver resolver = new RateLimitErrorResolver(
			new RateLimitHeaders(List.of(HeaderStyle.DRAFT_11), RetryAfterJitter.NONE, InstantSource.system()));

	@Test
	void errorHasNoWaitIfTheWaitIsNotKnown() {
		assertThat(extensions(Decision.UNKNOWN)).isEqualTo(Map.of("violated-policies", List.of("exports")));
		assertThat(extensions(5_000_000)).containsEntry("retry-after", 5L);
	}

	private Map<String, Object> extensions(long wait) {
		TestDecision decision = new TestDecision("exports", null, false, "", 1,
				Concurrency.of(2, Duration.ofMinutes(1)), new Decision(false, 0, wait, 0, 0), false);
		List<GraphQLError> errors = Objects.requireNonNull(this.resolver
			.resolveException(new RateLimitExceededException(new Verdict(Outcome.REJECTED, List.of(decision))))
			.block());
		return errors.get(0).getExtensions();
	}

}
