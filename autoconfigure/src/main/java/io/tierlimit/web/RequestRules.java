package io.tierlimit.web;

import java.util.ArrayList;
import java.util.List;

import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.evaluation.MatchedRule;
import io.tierlimit.rule.AppliesTo;
import jakarta.servlet.http.HttpServletRequest;

import org.jspecify.annotations.Nullable;

/**
 * Finds the rules that a request is held against. Patterns are parsed once.
 */
public final class RequestRules {

	private final List<RequestSelector> selectors = new ArrayList<>();

	private final @Nullable String managementPath;

	/**
	 * Creates a look-up.
	 * @param rules rules in force; those for methods only are left out
	 * @param managementPath the path of the management endpoints, which only rules that
	 * name it limit, or {@code null} if there are none
	 * @throws IllegalArgumentException if a path is no pattern
	 */
	public RequestRules(List<CompiledRule> rules, @Nullable String managementPath) {
		for (CompiledRule rule : rules) {
			if (rule.rule().selection().appliesTo() == AppliesTo.REQUESTS) {
				this.selectors.add(new RequestSelector(rule));
			}
		}
		this.managementPath = managementPath;
	}

	/**
	 * Matches a request.
	 * @param request the request
	 * @return the rules that select it, in the order in which they were given
	 */
	public List<MatchedRule> match(HttpServletRequest request) {
		RequestPaths paths = RequestPaths.of(request);
		String management = this.managementPath;
		if (management != null && !paths.isBelow(management)) {
			management = null;
		}
		List<MatchedRule> matched = new ArrayList<>(this.selectors.size());
		for (RequestSelector selector : this.selectors) {
			MatchedRule rule = selector.select(request.getMethod(), paths, management);
			if (rule != null) {
				matched.add(rule);
			}
		}
		return matched;
	}

}
