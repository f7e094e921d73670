package io.tierlimit.web;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.evaluation.MatchedRule;
import io.tierlimit.rule.AppliesTo;
import jakarta.servlet.http.HttpServletRequest;

import org.jspecify.annotations.Nullable;

/**
 * Finds the rules that a request is held against. Patterns are parsed once.
 */
public final class RequestRules {

	private final List<CompiledRule> rules;

	private final @Nullable String managementPath;

	private final Supplier<PathSpelling> spelling;

	private volatile List<RequestSelector> selectors;

	private volatile boolean spelled;

	/**
	 * Creates a look-up.
	 * @param rules rules in force; those for methods only are left out
	 * @param managementPath the path of the management endpoints, which only rules that
	 * name it limit, or {@code null} if there are none
	 * @param spelling which spellings the application takes for the same path; asked when
	 * the first request comes
	 * @throws IllegalArgumentException if a path is no pattern
	 */
	public RequestRules(List<CompiledRule> rules, @Nullable String managementPath, Supplier<PathSpelling> spelling) {
		this.rules = rules.stream()
			.filter((rule) -> rule.rule().selection().appliesTo() == AppliesTo.REQUESTS)
			.toList();
		this.managementPath = managementPath;
		this.spelling = spelling;
		this.selectors = selectors(PathSpelling.EXACT);
	}

	private List<RequestSelector> selectors(PathSpelling spelling) {
		return this.rules.stream().map((rule) -> new RequestSelector(rule, spelling)).toList();
	}

	/**
	 * Matches a request.
	 * @param request the request
	 * @param preflight whether it only asks what a browser may send: then only rules that
	 * name its method are held
	 * @return the rules that select it, in the order in which they were given
	 */
	List<MatchedRule> match(HttpServletRequest request, boolean preflight) {
		List<RequestSelector> selectors = spelled();
		if (selectors.isEmpty()) {
			return List.of();
		}
		RequestPaths paths = RequestPaths.of(request);
		String management = this.managementPath;
		if (management != null && !paths.isBelow(management)) {
			management = null;
		}
		List<MatchedRule> matched = new ArrayList<>(selectors.size());
		for (RequestSelector selector : selectors) {
			MatchedRule rule = selector.select(request.getMethod(), preflight, paths, management);
			if (rule != null) {
				matched.add(rule);
			}
		}
		return matched;
	}

	/** The mappings that are asked for their spelling are made after the filters. */
	private List<RequestSelector> spelled() {
		if (!this.spelled) {
			PathSpelling found = this.spelling.get();
			if (!found.equals(PathSpelling.EXACT)) {
				this.selectors = selectors(found);
			}
			this.spelled = true;
		}
		return this.selectors;
	}

}
