package io.tierlimit.web;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.BooleanSupplier;

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
 * Finds the rules of one stage that apply to a request. Patterns are parsed once, and an
 * index finds the few rules whose patterns are tested.
 */
final class StageRules {

	private final List<CompiledRule> rules;

	private final @Nullable String managementPath;

	private final @Nullable String limitsPath;

	private final BooleanSupplier ignoresCase;

	private volatile Indexes indexes;

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
		this.indexes = indexes(false);
	}

	/**
	 * Only rules whose paths begin with a reserved path apply to requests there. Rules
	 * that charge only failures apply to requests for the caller's limits nevertheless:
	 * such a request may have guessed credentials, and is refunded otherwise.
	 */
	private Indexes indexes(boolean ignoringCase) {
		return new Indexes(index(ignoringCase, (rule, path) -> true),
				index(ignoringCase, (rule, path) -> isBelow(path, this.managementPath)), index(ignoringCase,
						(rule, path) -> isBelow(path, this.limitsPath) || rule.refunds(RequestOutcome.answered(200))));
	}

	private static boolean isBelow(String path, @Nullable String reserved) {
		return reserved != null && PathPatterns.parse(path).getPatternString().startsWith(reserved);
	}

	private PathIndex<RequestSelector> index(boolean ignoringCase, BiPredicate<CompiledRule, String> applies) {
		List<PathIndex.Entry<RequestSelector>> entries = new ArrayList<>();
		for (CompiledRule rule : this.rules) {
			Selection selection = rule.rule().selection();
			List<String> paths = selection.paths().stream().filter((path) -> applies.test(rule, path)).toList();
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
	 * @return the rules that apply to it, in the order in which they were given
	 */
	List<MatchedRule> match(HttpServletRequest request, RateLimitExchange exchange) {
		if (this.rules.isEmpty()) {
			return List.of();
		}
		String method = request.getMethod();
		String plain = RequestPaths.plain(request);
		if (plain != null && spelled().all.find(method, plain).isEmpty()) {
			return List.of();
		}
		RequestPaths paths = RequestPaths.of(request);
		PathIndex<RequestSelector> index = index(paths, request, exchange);
		Collection<RequestSelector> candidates = (plain != null) ? index.find(method, plain)
				: index.find(method, paths.normalized(), paths.cleaned(), paths.sent());
		List<MatchedRule> matched = new ArrayList<>(candidates.size());
		for (RequestSelector candidate : candidates) {
			MatchedRule rule = candidate.select(method, paths);
			if (rule != null) {
				matched.add(rule.with(handling(candidate, method, paths, request, exchange)));
			}
		}
		return matched;
	}

	private PathIndex<RequestSelector> index(RequestPaths paths, HttpServletRequest request,
			RateLimitExchange exchange) {
		if (this.limitsPath != null && RequestPaths.normalized(request).equals(this.limitsPath)) {
			return spelled().limits;
		}
		return (isForManagement(paths) && exchange.isForManagement()) ? spelled().management : spelled().all;
	}

	private boolean isForManagement(RequestPaths paths) {
		return this.managementPath != null && paths.isBelow(this.managementPath);
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
		PathIndex<RequestSelector> index = isForManagement(paths) ? spelled().management : spelled().all;
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
	private Indexes spelled() {
		if (!this.spelled) {
			if (this.ignoresCase.getAsBoolean()) {
				this.indexes = indexes(true);
			}
			this.spelled = true;
		}
		return this.indexes;
	}

	/**
	 * The rules by their paths.
	 *
	 * @param all the rules for requests without a reserved path
	 * @param management the rules for the management endpoints
	 * @param limits the rules for the limits of the caller
	 */
	private record Indexes(PathIndex<RequestSelector> all, PathIndex<RequestSelector> management,
			PathIndex<RequestSelector> limits) {

	}

}
