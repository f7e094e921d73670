package io.tierlimit.evaluation;

import org.jspecify.annotations.Nullable;

/**
 * A rule that a request or a method call is held against.
 *
 * @param rule the rule
 * @param endpoint what stands for the endpoint if no mapping has a pattern for the
 * request: the first of the rule's own path patterns that matches it, or the called
 * method; {@code null} for neither
 * @param named whether the request is for what the rule's paths name, not only for a path
 * that another handler may read in the same way: its status resets a bucket only then
 * @param preflight whether the request looks like a CORS preflight, which never has
 * credentials: {@code anonymous: deny} does not reject it
 */
public record MatchedRule(CompiledRule rule, @Nullable String endpoint, boolean named, boolean preflight) {

	/**
	 * Creates a match of what the rule names, and of anything but a preflight.
	 * @param rule the rule
	 * @param endpoint what stands for the endpoint if no mapping has a pattern, or
	 * {@code null}
	 */
	public MatchedRule(CompiledRule rule, @Nullable String endpoint) {
		this(rule, endpoint, true, false);
	}

	/**
	 * The same rule for a request that its paths don't name.
	 * @return the rule, whose bucket is not reset by the request's status
	 */
	public MatchedRule unnamed() {
		return new MatchedRule(this.rule, this.endpoint, false, this.preflight);
	}

	/**
	 * The same match of a request that looks like a preflight.
	 * @return the match
	 */
	public MatchedRule ofPreflight() {
		return new MatchedRule(this.rule, this.endpoint, this.named, true);
	}

}
