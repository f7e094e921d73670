package io.tierlimit.evaluation;

import io.tierlimit.rule.Rule;

import org.jspecify.annotations.Nullable;

/**
 * A rule that a request is held against.
 *
 * @param rule the rule
 * @param path the first of the rule's own path patterns that matches the request, or
 * {@code null} if it has none: the endpoint of a request that no mapping has a pattern
 * for
 */
public record MatchedRule(Rule rule, @Nullable String path) {

}
