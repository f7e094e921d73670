package io.tierlimit.evaluation;

import java.time.Duration;

import io.tierlimit.PermitRequest;
import io.tierlimit.Verdict;
import io.tierlimit.limit.Concurrency;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.TestRules;
import io.tierlimit.spi.Caller;

/**
 * Requests that wait until permits in use are released. What other threads do happens
 * while a request sleeps.
 */
abstract class ReleaseTraffic extends SimulatedTraffic {

	static final Duration MAX_WAIT = Duration.ofSeconds(1);

	static final PermitRequest EXPORT = PermitRequest.of("exports");

	static final PermitRequest CALL = PermitRequest.of("calls");

	static final Object[] NOTHING = {};

	final SimulatedSleeper sleeper = new SimulatedSleeper(this.ticker);

	static Verdict request(TestEvaluator evaluator, String... rules) {
		RateLimitTransaction transaction = evaluator.begin(Caller.UNKNOWN);
		Verdict verdict = transaction.await(transaction.evaluate(evaluator.matched(rules), Stage.ALL));
		transaction.complete(OK);
		return verdict;
	}

	static Rule inUse(String id, long limit, Duration maxWait) {
		Rule rule = TestRules.rule(id, Concurrency.of(limit, Duration.ofMinutes(10)));
		return maxWait.isZero() ? rule : waiting(rule, maxWait);
	}

}
