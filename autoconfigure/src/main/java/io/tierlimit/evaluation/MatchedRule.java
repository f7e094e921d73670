package io.tierlimit.evaluation;

import org.jspecify.annotations.Nullable;

/**
 * A rule that a request or a method call is held against.
 *
 * @param rule the rule
 * @param endpoint what stands for the endpoint if no mapping has a pattern for the
 * request: the first of the rule's own path patterns that matches it, or the called
 * method; {@code null} for neither
 * @param preflight whether the request looks like a CORS preflight, which never has
 * credentials: {@code anonymous: deny} does not reject it
 */
public record MatchedRule(CompiledRule rule, @Nullable String endpoint, boolean preflight) {

	/**
	 * Creates a match of anything but a preflight.
	 * @param rule the rule
	 * @param endpoint what stands for the endpoint, or {@code null}
	 */
	public MatchedRule(CompiledRule rule, @Nullable String endpoint) {
		this(rule, endpoint, false);
	}

	/**
	 * The same match of a request that looks like a preflight.
	 * @return the match
	 */
	public MatchedRule ofPreflight() {
		return new MatchedRule(this.rule, this.endpoint, true);
	}

}
