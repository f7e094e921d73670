package io.tierlimit.evaluation;

import org.jspecify.annotations.Nullable;

/**
 * A rule that a request or a method call is held against.
 *
 * @param rule the rule
 * @param endpoint what stands for the endpoint if no mapping has a pattern for the
 * request: the first of the rule's own path patterns that matches it, or the called
 * method; {@code null} for neither
 */
public record MatchedRule(CompiledRule rule, @Nullable String endpoint) {

}
