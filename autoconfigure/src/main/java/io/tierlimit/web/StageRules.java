package io.tierlimit.web;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.BooleanSupplier;

import io.tierlimit.AppliesTo;
import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.evaluation.MatchedRule;
import io.tierlimit.evaluation.MatchedRule.Handling;
import io.tierlimit.rule.Rule;
import io.tierlimit.spi.Endpoint;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * Finds the rules of one stage that apply to a request. Patterns are parsed once, and an
 * index finds the few rules whose patterns are tested.
 */
final class StageRules {

	private final List<CompiledRule> rules;

	private final @Nullable String managementPath;

	private final @Nullable String limitsPath;

	private final BooleanSupplier ignoresCase;

	private volatile PathIndex<RequestSelector> index;

	private volatile boolean spelled;

	/**
	 * Creates a look-up.
	 * @param rules rules that the stage evaluates; rules for methods only are skipped
	 * @param options the paths with rules of their own, and the case of paths
	 * @throws IllegalArgumentException if a path is not a valid pattern
	 */
	StageRules(List<CompiledRule> rules, RequestRules.Options options) {
		this.rules = rules.stream()
			.filter((rule) -> rule.rule().selection().appliesTo() == AppliesTo.REQUESTS)
			.toList();
		this.managementPath = options.managementPath();
		this.limitsPath = options.limitsPath();
		this.ignoresCase = options.ignoresCase();
		this.index = index(false);
	}

	private PathIndex<RequestSelector> index(boolean ignoringCase) {
		return new PathIndex<>(this.rules.stream()
			.map((rule) -> new PathIndex.Entry<>(new RequestSelector(rule, ignoringCase),
					rule.rule().selection().methods(), rule.rule().selection().paths()))
			.toList(), ignoringCase);
	}

	/**
	 * Matches a request.
	 * @param request the request
	 * @param exchange looks up the handler, if a rule depends on it
	 * @return the rules that apply to it, in the order in which they were given
	 */
	List<MatchedRule> match(HttpServletRequest request, RateLimitExchange exchange) {
		if (this.rules.isEmpty()) {
			return List.of();
		}
		String method = request.getMethod();
		String plain = RequestPaths.plain(request);
		if (plain != null) {
			List<RequestSelector> candidates = spelled().find(method, plain);
			return candidates.isEmpty() ? List.of()
					: select(candidates, method, RequestPaths.of(request), request, exchange);
		}
		RequestPaths paths = RequestPaths.of(request);
		return select(spelled().find(method, paths.normalized(), paths.cleaned(), paths.sent()), method, paths, request,
				exchange);
	}

	/**
	 * Matches the requests of a mapping. A variable of the mapping matches the variables
	 * and wildcards of rules, but no text.
	 * @param method the HTTP method
	 * @param pattern the pattern of the mapping, relative to the context path
	 * @return the rules that apply to all of these requests, except for their conditions
	 */
	List<Rule> ofMapping(String method, String pattern) {
		RequestPaths paths = RequestPaths.ofPattern(pattern);
		String management = this.managementPath;
		String exempt = (management != null && paths.isBelow(management)) ? management : null;
		List<Rule> matched = new ArrayList<>();
		for (RequestSelector candidate : spelled().find(method, pattern)) {
			MatchedRule match = candidate.select(method, paths, exempt);
			if (match != null) {
				matched.add(match.rule().rule());
			}
		}
		return matched;
	}

	private List<MatchedRule> select(Collection<RequestSelector> candidates, String method, RequestPaths paths,
			HttpServletRequest request, RateLimitExchange exchange) {
		String exempt = exemptPath(paths, request, exchange);
		List<MatchedRule> matched = new ArrayList<>(candidates.size());
		for (RequestSelector candidate : candidates) {
			boolean exempted = exempt != null && !(exempt.equals(this.limitsPath) && candidate.chargesOnlyFailures());
			MatchedRule rule = candidate.select(method, paths, exempted ? exempt : null);
			if (rule != null) {
				matched.add(rule.with(handling(candidate, method, paths, request, exchange)));
			}
		}
		return matched;
	}

	private static Handling handling(RequestSelector selector, String method, RequestPaths paths,
			HttpServletRequest request, RateLimitExchange exchange) {
		if (exchange.isPreflight()) {
			return Handling.PREFLIGHT;
		}
		return (!selector.isResetByStatus() || selector.names(method, paths, mapping(request, exchange)))
				? Handling.NAMED : Handling.UNNAMED;
	}

	/**
	 * The path that the request is at or below, if only rules whose paths begin with it
	 * apply to the request. Rules that charge only failures apply to requests for the
	 * caller's limits nevertheless: such a request may have guessed credentials, and is
	 * refunded otherwise.
	 */
	private @Nullable String exemptPath(RequestPaths paths, HttpServletRequest request, RateLimitExchange exchange) {
		if (this.limitsPath != null && RequestPaths.normalized(request).equals(this.limitsPath)) {
			return this.limitsPath;
		}
		String management = this.managementPath;
		return (management != null && paths.isBelow(management) && exchange.isForManagement()) ? management : null;
	}

	/**
	 * The pattern of the mapping that will serve the request, with its servlet's path.
	 */
	private static @Nullable String mapping(HttpServletRequest request, RateLimitExchange exchange) {
		Handler handler = exchange.handler();
		Endpoint endpoint = (handler != null) ? handler.endpoint() : null;
		if (endpoint == null) {
			return null;
		}
		return (request.getPathInfo() != null) ? request.getServletPath() + endpoint.pattern() : endpoint.pattern();
	}

	/**
	 * Reads the case sensitivity at the first request, since mappings are created after
	 * the filters.
	 */
	private PathIndex<RequestSelector> spelled() {
		if (!this.spelled) {
			if (this.ignoresCase.getAsBoolean()) {
				this.index = index(true);
			}
			this.spelled = true;
		}
		return this.index;
	}

}
