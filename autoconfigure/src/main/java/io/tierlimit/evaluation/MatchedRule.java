package io.tierlimit.evaluation;

import org.jspecify.annotations.Nullable;

/**
 * A rule that a request or a method call is checked against.
 *
 * @param rule the rule
 * @param endpoint the endpoint if no mapping has a pattern for the request: the first
 * path pattern of the rule that matches it, or the called method; {@code null} for
 * neither
 * @param named whether the rule's paths name the handler of the request. Otherwise,
 * another handler may serve the same path, and the status of the request does not reset a
 * bucket
 * @param preflight whether the request may be a CORS preflight, which never has
 * credentials: {@code anonymous: deny} does not reject it
 */
public record MatchedRule(CompiledRule rule, @Nullable String endpoint, boolean named, boolean preflight) {

	/**
	 * Creates a match for a handler that the rule's paths name, and for a request that is
	 * not a preflight.
	 * @param rule the rule
	 * @param endpoint the endpoint if no mapping has a pattern, or {@code null}
	 */
	public MatchedRule(CompiledRule rule, @Nullable String endpoint) {
		this(rule, endpoint, true, false);
	}

	/**
	 * The same match for a request whose handler the rule's paths do not name.
	 * @return the match; the request's status does not reset the bucket
	 */
	public MatchedRule unnamed() {
		return new MatchedRule(this.rule, this.endpoint, false, this.preflight);
	}

	/**
	 * The same match for a request that may be a preflight.
	 * @return the match
	 */
	public MatchedRule ofPreflight() {
		return new MatchedRule(this.rule, this.endpoint, this.named, true);
	}

}
