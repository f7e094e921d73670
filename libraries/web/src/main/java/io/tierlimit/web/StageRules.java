package io.tierlimit.web;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.BiPredicate;

import io.tierlimit.AppliesTo;
import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.evaluation.MatchedRule;
import io.tierlimit.evaluation.MatchedRule.Handling;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.Selection;
import io.tierlimit.spi.Endpoint;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * Finds the rules of one stage that apply to a request. Patterns are parsed in advance,
 * and an index selects the few rules whose patterns are tested.
 */
final class StageRules {

	private final List<CompiledRule> rules;

	private final RequestRules.Options options;

	private volatile Indexes indexes;

	private volatile boolean caseRead;

	/**
	 * Creates a look-up.
	 * @param rules rules that the stage evaluates; rules for code are skipped
	 * @param options the reserved paths, and whether paths ignore case
	 * @throws IllegalArgumentException if a path is not a valid pattern
	 */
	StageRules(List<CompiledRule> rules, RequestRules.Options options) {
		this.rules = rules.stream()
			.filter((rule) -> rule.rule().selection().appliesTo() == AppliesTo.REQUESTS)
			.toList();
		this.options = options;
		this.indexes = createIndexes(false);
	}

	/**
	 * For a request for a reserved path, only rules whose paths begin with the reserved
	 * path apply. A rule that charges only failures also applies to requests for the
	 * caller's limits, because such a request may guess credentials. If the request
	 * succeeds, this charge is refunded.
	 */
	private Indexes createIndexes(boolean ignoringCase) {
		return new Indexes(createIndex(ignoringCase, (rule, path) -> true),
				createIndex(ignoringCase, (rule, path) -> beginsWith(path, this.options.managementPath())),
				createIndex(ignoringCase, (rule, path) -> beginsWith(path, this.options.limitsPath())
						|| rule.refunds(RequestOutcome.answered(200))));
	}

	private static boolean beginsWith(String path, @Nullable String reserved) {
		return reserved != null && PathPatterns.parse(path).getPatternString().startsWith(reserved);
	}

	private PathIndex<RequestSelector> createIndex(boolean ignoringCase, BiPredicate<CompiledRule, String> applies) {
		List<PathIndex.Entry<RequestSelector>> entries = new ArrayList<>();
		for (CompiledRule rule : this.rules) {
			Selection selection = rule.rule().selection();
			List<String> paths = selection.paths().stream().filter((path) -> applies.test(rule, path)).toList();
			// A rule without paths has no path that begins with a reserved path.
			if (!paths.isEmpty() || (selection.paths().isEmpty() && applies.test(rule, ""))) {
				entries.add(new PathIndex.Entry<>(new RequestSelector(rule, paths, ignoringCase), selection.methods(),
						paths));
			}
		}
		return new PathIndex<>(entries, ignoringCase);
	}

	/**
	 * Matches a request.
	 * @param request the request
	 * @param exchange looks up the handler, if a rule depends on it
	 * @return the rules that apply to the request, in the order of the rule set
	 */
	List<MatchedRule> match(HttpServletRequest request, RateLimitExchange exchange) {
		if (this.rules.isEmpty()) {
			return List.of();
		}
		String method = request.getMethod();
		String plain = RequestPaths.plain(request);
		PathIndex<RequestSelector> all = indexes().all;
		Collection<RequestSelector> candidates = (plain != null) ? all.find(method, plain) : List.of();
		// The index of all rules contains the other indexes, so the handler is not looked
		// up.
		if (plain != null && candidates.isEmpty()) {
			return List.of();
		}
		RequestPaths paths = RequestPaths.of(request);
		PathIndex<RequestSelector> index = indexFor(paths, request, exchange);
		if (plain == null) {
			candidates = index.find(method, paths.normalized(), paths.cleaned(), paths.sent());
		}
		else if (index != all) {
			candidates = index.find(method, plain);
		}
		List<MatchedRule> matched = new ArrayList<>(candidates.size());
		for (RequestSelector candidate : candidates) {
			MatchedRule rule = candidate.select(method, paths);
			if (rule != null) {
				matched.add(rule.with(handling(candidate, method, paths, request, exchange)));
			}
		}
		return matched;
	}

	private PathIndex<RequestSelector> indexFor(RequestPaths paths, HttpServletRequest request,
			RateLimitExchange exchange) {
		if (this.options.limitsPath() != null && RequestPaths.normalized(request).equals(this.options.limitsPath())) {
			return indexes().limits;
		}
		return (isForManagement(paths) && exchange.isForManagement()) ? indexes().management : indexes().all;
	}

	private boolean isForManagement(RequestPaths paths) {
		return this.options.managementPath() != null && paths.isBelow(this.options.managementPath());
	}

	/**
	 * Finds the rules for the requests of a mapping. A variable of the mapping matches
	 * the variables and wildcards of rules, but no fixed segment.
	 * @param method the HTTP method
	 * @param pattern the pattern of the mapping, relative to the context path
	 * @return the rules that apply to all of these requests, apart from the conditions of
	 * the rules
	 */
	List<Rule> ofMapping(String method, String pattern) {
		RequestPaths paths = RequestPaths.ofPattern(pattern);
		PathIndex<RequestSelector> index = isForManagement(paths) ? indexes().management : indexes().all;
		List<Rule> matched = new ArrayList<>();
		for (RequestSelector candidate : index.find(method, pattern)) {
			MatchedRule match = candidate.select(method, paths);
			if (match != null) {
				matched.add(match.rule().rule());
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
	 * The pattern of the mapping that will serve the request, preceded by the path of the
	 * servlet.
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
	private Indexes indexes() {
		if (!this.caseRead) {
			if (this.options.ignoresCase().getAsBoolean()) {
				this.indexes = createIndexes(true);
			}
			this.caseRead = true;
		}
		return this.indexes;
	}

	/**
	 * The rules by their paths.
	 *
	 * @param all all rules: used for requests without a reserved path, and to skip
	 * requests that no rule can match
	 * @param management the rules for the management endpoints
	 * @param limits the rules for the limits of the caller
	 */
	private record Indexes(PathIndex<RequestSelector> all, PathIndex<RequestSelector> management,
			PathIndex<RequestSelector> limits) {

	}

}
