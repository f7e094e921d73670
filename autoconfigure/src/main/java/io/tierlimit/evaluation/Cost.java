package io.tierlimit.evaluation;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Collection;

import io.tierlimit.key.Caller;
import io.tierlimit.key.CallerExpression;
import io.tierlimit.rule.Rule;

import org.jspecify.annotations.Nullable;

/**
 * What a request costs under a rule: a fixed number or an expression. An expression that
 * fails or gives no whole number of 0 or more costs 1; one that reads what callers send
 * costs 1 at least.
 */
final class Cost {

	private static final BigInteger MOST = BigInteger.valueOf(Long.MAX_VALUE);

	private final String rule;

	private final @Nullable CallerExpression expression;

	private final long least;

	private final OncePerRule failures;

	private Cost(String rule, @Nullable CallerExpression expression, long least, OncePerRule failures) {
		this.rule = rule;
		this.expression = expression;
		this.least = least;
		this.failures = failures;
	}

	static Cost parse(Rule rule, Collection<String> arguments, OncePerRule failures) {
		String text = rule.cost();
		if (isDigits(text)) {
			return new Cost(rule.id(), null, wholeNumber(text), failures);
		}
		CallerExpression expression = CallerExpression.parse(text, arguments);
		return new Cost(rule.id(), expression, expression.readsWhatCallersSend() ? 1 : 0, failures);
	}

	boolean readsArguments() {
		return this.expression != null && this.expression.readsArguments();
	}

	boolean readsIdentity() {
		return this.expression != null && this.expression.readsIdentity();
	}

	long of(Caller caller) {
		if (this.expression == null) {
			return this.least;
		}
		try {
			return Math.max(this.least, wholeNumber(this.expression.evaluate(caller)));
		}
		catch (RuntimeException ex) {
			this.failures.warn(this.rule, "charges 1 where its cost '" + this.expression
					+ "' gives no whole number of 0 or more (" + ex.getClass().getSimpleName() + ")");
			return 1;
		}
	}

	private static long wholeNumber(@Nullable Object value) {
		if (value instanceof String text && isDigits(text)) {
			// Callers may send endless numbers: all of these are beyond any limit.
			return (text.length() > 18) ? Long.MAX_VALUE : Long.parseLong(text);
		}
		BigInteger number = new BigDecimal(String.valueOf((value instanceof Number) ? value : null))
			.toBigIntegerExact();
		if (number.signum() < 0) {
			throw new ArithmeticException("A cost must not be negative but was " + number);
		}
		return number.min(MOST).longValueExact();
	}

	private static boolean isDigits(String text) {
		return !text.isEmpty() && text.chars().allMatch((c) -> c >= '0' && c <= '9');
	}

}
