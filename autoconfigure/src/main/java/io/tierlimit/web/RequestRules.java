package io.tierlimit.web;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.evaluation.MatchedRule;
import io.tierlimit.key.Endpoint;
import io.tierlimit.rule.AppliesTo;
import jakarta.servlet.http.HttpServletRequest;

import org.jspecify.annotations.Nullable;

/**
 * Finds the rules that a request is held against. Patterns are parsed once.
 */
final class RequestRules {

	private final List<CompiledRule> rules;

	private final @Nullable String managementPath;

	private final BooleanSupplier ignoresCase;

	private volatile List<RequestSelector> selectors;

	private volatile boolean spelled;

	/**
	 * Creates a look-up.
	 * @param rules rules in force; those for methods only are left out
	 * @param managementPath the path of the management endpoints, which only rules that
	 * name it limit, or {@code null} if there are none
	 * @param ignoresCase whether upper and lower case are the same to the application;
	 * asked when the first request comes
	 * @throws IllegalArgumentException if a path is no pattern
	 */
	RequestRules(List<CompiledRule> rules, @Nullable String managementPath, BooleanSupplier ignoresCase) {
		this.rules = rules.stream()
			.filter((rule) -> rule.rule().selection().appliesTo() == AppliesTo.REQUESTS)
			.toList();
		this.managementPath = managementPath;
		this.ignoresCase = ignoresCase;
		this.selectors = selectors(false);
	}

	private List<RequestSelector> selectors(boolean ignoringCase) {
		return this.rules.stream().map((rule) -> new RequestSelector(rule, ignoringCase)).toList();
	}

	/**
	 * Matches a request.
	 * @param request the request
	 * @param tab tells whether it is for a management endpoint, if it looks so
	 * @return the rules that apply to it, in the order in which they were given
	 */
	List<MatchedRule> match(HttpServletRequest request, RequestTab tab) {
		List<RequestSelector> selectors = spelled();
		if (selectors.isEmpty()) {
			return List.of();
		}
		RequestPaths paths = RequestPaths.of(request);
		String management = this.managementPath;
		if (management != null && !(paths.isBelow(management) && tab.isForManagement())) {
			management = null;
		}
		List<MatchedRule> matched = new ArrayList<>(selectors.size());
		for (RequestSelector selector : selectors) {
			MatchedRule rule = selector.select(request.getMethod(), paths, management);
			if (rule != null) {
				boolean named = !rule.rule().isResetByStatus() || selector.names(paths, mapping(request, tab));
				MatchedRule match = named ? rule : rule.unnamed();
				matched.add(tab.isPreflight() ? match.ofPreflight() : match);
			}
		}
		return matched;
	}

	/**
	 * The pattern of the mapping that will serve the request, with its servlet's path.
	 */
	private static @Nullable String mapping(HttpServletRequest request, RequestTab tab) {
		Handler handler = tab.handler();
		Endpoint endpoint = (handler != null) ? handler.endpoint() : null;
		if (endpoint == null) {
			return null;
		}
		return (request.getPathInfo() != null) ? request.getServletPath() + endpoint.pattern() : endpoint.pattern();
	}

	/** The mappings that are asked are made after the filters. */
	private List<RequestSelector> spelled() {
		if (!this.spelled) {
			if (this.ignoresCase.getAsBoolean()) {
				this.selectors = selectors(true);
			}
			this.spelled = true;
		}
		return this.selectors;
	}

}
