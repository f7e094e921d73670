package io.tierlimit.evaluation;

import io.tierlimit.key.Caller;
import io.tierlimit.key.CallerExpression;
import io.tierlimit.key.KeyBuilder;
import io.tierlimit.key.KeyResolver;

import org.jspecify.annotations.Nullable;

/**
 * What a resolver or an expression of the application's makes of a caller. A failing one
 * finds nothing.
 *
 * @param name what it is called in a warning
 * @param resolver finds the part
 * @param isSent whether it may be what callers send; nobody knows where a resolver looks
 * @param rule the rule's id
 * @param failures warns
 */
record ResolvedPart(String name, KeyResolver resolver, boolean isSent, String rule,
		OncePerRule failures) implements KeyPart {

	static ResolvedPart of(CallerExpression expression, String rule, OncePerRule failures) {
		KeyResolver resolver = new KeyResolver() {

			@Override
			public @Nullable String resolve(Caller caller) {
				Object value = expression.evaluate(caller);
				return (value != null) ? value.toString() : null;
			}

			@Override
			public boolean needsAuthentication() {
				return expression.readsIdentity();
			}

		};
		return new ResolvedPart("key '" + expression + "'", resolver, expression.readsSensitive(), rule, failures);
	}

	@Override
	public boolean addTo(KeyBuilder key, Caller caller, @Nullable String endpoint) {
		String part = resolve(caller);
		if (part != null) {
			addTo(key, part);
		}
		return part != null;
	}

	private @Nullable String resolve(Caller caller) {
		try {
			return this.resolver.resolve(caller);
		}
		catch (RuntimeException ex) {
			this.failures.warn(this.rule, "takes callers for anonymous where its " + this.name + " fails ("
					+ ex.getClass().getSimpleName() + ")");
			return null;
		}
	}

	@Override
	public void addTo(KeyBuilder key, @Nullable String given) {
		if (given == null) {
			key.addNone();
		}
		else if (this.isSent) {
			key.addSent(given);
		}
		else {
			key.addFact(given);
		}
	}

	@Override
	public boolean needsAuthentication() {
		return this.resolver.needsAuthentication();
	}

}
