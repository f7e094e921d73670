package io.tierlimit.evaluation;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.stream.IntStream;

import com.sun.management.ThreadMXBean;
import io.tierlimit.Verdict;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.TestRules;
import io.tierlimit.spi.Caller;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests how many bytes an evaluation allocates. The bounds include a margin for other
 * JDKs.
 */
class EvaluationAllocationTests {

	private static final int WARM_UP = 20_000;

	private static final int MEASURED = 2_000;

	private static final TokenBucket PLENTY = new TokenBucket(Rate.parse("1000000/s"), Rate.MAX_PERMITS);

	private static final Caller CALLER = new Caller() {

		@Override
		public String user() {
			return "alice";
		}

	};

	private static final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

	/** Keeps the verdicts reachable, so that their allocation is not optimized away. */
	private volatile Verdict last = Verdict.UNLIMITED;

	@ParameterizedTest(name = "{0} rules: at most {1} bytes")
	@CsvSource({ "1, 700", "4, 1600" })
	void evaluationAllocatesLittle(int rules, long bytes) {
		TestEvaluator evaluator = TestEvaluators.of(IntStream.range(0, rules)
			.mapToObj((i) -> TestRules.rule("tier-" + i, PLENTY).scope(Scope.of("user")))
			.toArray(Rule[]::new));
		List<MatchedRule> matched = evaluator.matched();
		evaluate(evaluator, matched, WARM_UP);
		long least = Long.MAX_VALUE;
		// Measured several times, because the compiler may allocate objects when it
		// replaces a running loop: the minimum is compared.
		for (int round = 0; round < 5; round++) {
			long before = threads.getCurrentThreadAllocatedBytes();
			evaluate(evaluator, matched, MEASURED);
			least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
		}
		assertThat(this.last.allowed()).isTrue();
		assertThat(this.last.decisions()).hasSize(rules);
		assertThat(least / MEASURED).isBetween(1L, bytes);
	}

	private void evaluate(TestEvaluator evaluator, List<MatchedRule> matched, int times) {
		for (int i = 0; i < times; i++) {
			this.last = evaluator.evaluate(matched, CALLER);
		}
	}

}
