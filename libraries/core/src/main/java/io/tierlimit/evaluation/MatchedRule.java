package io.tierlimit.evaluation;

import org.jspecify.annotations.Nullable;

/**
 * A rule that a request or a method call is checked against.
 *
 * @param rule the rule
 * @param endpoint the endpoint if no mapping has a pattern for the request: the first
 * path pattern of the rule that matches it, or the called method; {@code null} for
 * neither
 * @param handling which code responds to the request
 */
public record MatchedRule(CompiledRule rule, @Nullable String endpoint, Handling handling) {

	/**
	 * Creates a match for a handler that the rule's paths select.
	 * @param rule the rule
	 * @param endpoint the endpoint if no mapping has a pattern, or {@code null}
	 */
	public MatchedRule(CompiledRule rule, @Nullable String endpoint) {
		this(rule, endpoint, Handling.NAMED);
	}

	/**
	 * Returns the same match with another handling.
	 * @param other which code responds to the request
	 * @return the match
	 */
	public MatchedRule with(Handling other) {
		return (other == this.handling) ? this : new MatchedRule(this.rule, this.endpoint, other);
	}

	/**
	 * Which code responds to a request, from the view of a rule.
	 */
	public enum Handling {

		/** A handler that the rule's paths select. */
		NAMED,

		/**
		 * Possibly another handler of the same path, so the status of the request does
		 * not reset a bucket.
		 */
		UNNAMED,

		/**
		 * The framework, since the request may be a CORS preflight. A preflight has
		 * neither credentials nor headers of the application. If the key or the cost
		 * needs them, 1 permit is consumed from the bucket of the client address.
		 */
		PREFLIGHT

	}

}
