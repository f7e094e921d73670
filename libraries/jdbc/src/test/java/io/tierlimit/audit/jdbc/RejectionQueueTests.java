package io.tierlimit.audit.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.IntStream;

import io.tierlimit.RuleDecision;
import io.tierlimit.RuleMode;
import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.evaluation.TestDecision;
import io.tierlimit.key.SimpleCaller;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.TestRules;
import io.tierlimit.spi.Endpoint;
import io.tierlimit.store.Crowd;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RejectionQueueTests {

	private static final Instant NOW = Instant.parse("2030-01-02T03:04:05Z");

	/** A queue of 10, and batches of 4. */
	private static final AuditOptions OPTIONS = new AuditOptions(false, true, 10, 4, Duration.ofSeconds(1),
			Duration.ofDays(30));

	private static final SimpleCaller ADA = SimpleCaller.at("192.0.2.1").as("ada").to("GET", "/search");

	private final Rule search = TestRules.rule("search", 10);

	private final Rule shadow = TestRules.rule("shadow", 10).options((options) -> options.mode(RuleMode.SHADOW));

	@Test
	void everyDecisionThatRejectsIsAdded() {
		RejectionQueue queue = queue(OPTIONS);
		publish(queue, TestDecision.rejected(this.search), TestDecision.allowed(TestRules.rule("all", 10), 9),
				TestDecision.rejected(TestRules.rule("orders", 10)));
		assertThat(queue.oldest(10)).extracting((rejection) -> rejection.decision().rule())
			.containsExactly("search", "orders");
		assertThat(queue.oldest(1)).containsExactly(new Rejection(NOW, TestDecision.rejected(this.search), "ada",
				"192.0.2.1", new Endpoint("GET", "/search")));
	}

	@Test
	void identitiesCanBeLeftOut() {
		RejectionQueue queue = queue(new AuditOptions(false, false, 10, 10, Duration.ofSeconds(1), Duration.ZERO));
		publish(queue, TestDecision.rejected(this.search));
		assertThat(queue.oldest(10)).singleElement().satisfies((rejection) -> {
			assertThat(rejection.user()).isNull();
			assertThat(rejection.address()).isNull();
		});
	}

	@Test
	void rejectionByAShadowRuleIsAddedOnlyWithTheOption() {
		RejectionQueue enforced = queue(OPTIONS);
		publish(enforced, TestDecision.rejected(this.shadow));
		assertThat(enforced.size()).isZero();
		RejectionQueue all = queue(new AuditOptions(true, true, 10, 10, Duration.ofSeconds(1), Duration.ZERO));
		publish(all, TestDecision.rejected(this.shadow));
		assertThat(all.size()).isEqualTo(1);
	}

	@Test
	void fullQueueDropsAndCounts() {
		RejectionQueue queue = queue(OPTIONS);
		TestDecision[] twelve = IntStream.range(0, 12)
			.mapToObj((index) -> TestDecision.rejected(this.search).onBucket("b" + index))
			.toArray(TestDecision[]::new);
		publish(queue, twelve);
		assertThat(queue.size()).isEqualTo(10);
		assertThat(queue.dropped()).isEqualTo(2);
		assertThat(queue.oldest(2)).extracting((rejection) -> rejection.decision().key()).containsExactly("b0", "b1");
		queue.remove(2);
		publish(queue, TestDecision.rejected(this.search).onBucket("b12"));
		assertThat(queue.oldest(20)).hasSize(9)
			.last()
			.satisfies((rejection) -> assertThat(rejection.decision().key()).isEqualTo("b12"));
	}

	/** With any interleaving, each rejection is either in the queue or counted. */
	@Test
	void concurrentRequestsNeitherExceedTheCapacityNorLoseARejection() throws Exception {
		RejectionQueue queue = queue(OPTIONS);
		List<Integer> removed = Crowd.run(9, (member) -> {
			int found = 0;
			for (int i = 0; i < 1000; i++) {
				if (member > 0) {
					publish(queue, TestDecision.rejected(this.search));
				}
				else {
					int oldest = queue.oldest(3).size();
					queue.remove(oldest);
					found += oldest;
				}
			}
			return found;
		});
		assertThat(queue.oldest(100)).hasSizeLessThanOrEqualTo(10).hasSize(queue.size());
		assertThat(removed.get(0) + queue.size() + queue.dropped()).isEqualTo(8000);
	}

	private static RejectionQueue queue(AuditOptions options) {
		return new RejectionQueue(options, InstantSource.fixed(NOW));
	}

	private static void publish(RejectionQueue queue, RuleDecision... decisions) {
		queue.onVerdict(new Verdict(Outcome.REJECTED, List.of(decisions)), ADA);
	}

}
