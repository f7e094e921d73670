package io.tierlimit.test;

import io.tierlimit.RateLimiter;
import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.evaluation.ActiveRules;

import org.springframework.context.ApplicationContext;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.TestExecutionListener;

/**
 * Resets the buckets as described by {@link ResetRateLimits}.
 */
class ResetRateLimitsTestExecutionListener implements TestExecutionListener {

	@Override
	public void beforeTestMethod(TestContext test) {
		if (isAnnotated(test)) {
			reset(test.getApplicationContext());
		}
	}

	private static boolean isAnnotated(TestContext test) {
		return TestContextAnnotationUtils.hasAnnotation(test.getTestClass(), ResetRateLimits.class)
				|| AnnotatedElementUtils.hasAnnotation(test.getTestMethod(), ResetRateLimits.class);
	}

	private static void reset(ApplicationContext context) {
		ActiveRules rules = context.getBeanProvider(ActiveRules.class).getIfAvailable();
		RateLimiter limiter = context.getBeanProvider(RateLimiter.class).getIfAvailable();
		if (rules == null || limiter == null) {
			return;
		}
		for (CompiledRule compiled : rules.current().all()) {
			String rule = compiled.rule().id();
			if (!limiter.resetAll(rule)) {
				throw new IllegalStateException("The buckets of rule '" + rule
						+ "' were not reset, because the store cannot be reached or has too many buckets."
						+ " Start Redis, or set tierlimit.store=memory for this test.");
			}
		}
	}

}
