package io.tierlimit.key;

import io.tierlimit.logging.OnceLogger;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.InvalidRequestValueException;
import io.tierlimit.spi.KeyResolver;
import org.jspecify.annotations.Nullable;

/**
 * The part of a key that a resolver or an expression of the application returns. If the
 * resolver or the expression fails and a client can cause the failure, the request is
 * rejected. After any other failure, the client address replaces the part. The address
 * also replaces the part if an expression reads a member of {@code null}. The part is
 * missing only if the returned value is {@code null}.
 *
 * @param name the name of the part in warnings
 * @param resolver resolves the part
 * @param isSensitive whether the part may be secret or personal; always true for a
 * resolver, because its sources are not known
 * @param isClientSupplied whether a client can cause a failure
 * @param rule the rule's id
 * @param warnings logs each warning once
 */
record ResolverPart(String name, KeyResolver resolver, boolean isSensitive, boolean isClientSupplied, String rule,
		OnceLogger warnings) implements KeyPart {

	static ResolverPart of(CallerExpression expression, String rule, OnceLogger warnings) {
		KeyResolver resolver = expression.reads(ExpressionFact.IDENTITY) ? expression::evaluateKey
				: KeyResolver.beforeAuthentication(expression::evaluateKey);
		return new ResolverPart("key '" + expression.text() + "'", resolver, expression.reads(ExpressionFact.SENSITIVE),
				expression.reads(ExpressionFact.CLIENT_SUPPLIED), rule, warnings);
	}

	@Override
	public Result addTo(KeyBuilder key, Caller caller, @Nullable String endpoint) {
		String part;
		try {
			part = this.resolver.resolve(caller);
		}
		catch (RuntimeException ex) {
			return failed(ex);
		}
		if (part == null) {
			return Result.MISSING;
		}
		addTo(key, part);
		return Result.ADDED;
	}

	private Result failed(RuntimeException failure) {
		InvalidRequestValueException invalid = InvalidRequestValueException.find(failure);
		if (invalid != null) {
			throw invalid;
		}
		String reason = (failure instanceof ExpressionException) ? String.valueOf(failure.getMessage())
				: failure.getClass().getSimpleName();
		boolean nullAccess = failure instanceof ExpressionException expression && expression.isNullAccess();
		if (this.isClientSupplied && !nullAccess) {
			warn("treated a request as invalid because its " + this.name + " failed: " + reason);
			throw new InvalidRequestValueException("The " + this.name + " of rule '" + this.rule + "' failed", failure);
		}
		warn("used the client address because its " + this.name + " failed: " + reason);
		return Result.FAILED;
	}

	private void warn(String message) {
		this.warnings.warn("Rule '" + this.rule + "' " + message);
	}

	@Override
	public boolean needsAuthentication() {
		return this.resolver.needsAuthentication();
	}

	@Override
	public Role role() {
		return Role.RESOLVED;
	}

}
