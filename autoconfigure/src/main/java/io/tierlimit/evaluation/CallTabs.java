package io.tierlimit.evaluation;

import io.tierlimit.key.CallerResolver;

/**
 * A tab for every call: there is no request that calls have in common.
 */
public final class CallTabs implements Tabs {

	private final RateLimitEvaluator evaluator;

	private final CallerResolver callers;

	/**
	 * Creates tabs.
	 * @param evaluator decides
	 * @param callers says who asks
	 */
	public CallTabs(RateLimitEvaluator evaluator, CallerResolver callers) {
		this.evaluator = evaluator;
		this.callers = callers;
	}

	@Override
	public Tab current() {
		return new Tab(this.evaluator, this.callers.resolve(), MethodRules.NONE, () -> false, (verdict) -> {
		});
	}

}
