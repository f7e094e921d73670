package io.tierlimit.web;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;

import io.tierlimit.AppliesTo;
import io.tierlimit.evaluation.CompiledRules;
import io.tierlimit.evaluation.MatchedRule;
import io.tierlimit.evaluation.MatchedRule.Handling;
import io.tierlimit.evaluation.Stage;
import io.tierlimit.rule.Rule;
import io.tierlimit.spi.Endpoint;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.util.function.SingletonSupplier;

/**
 * Finds the rules of one rule set that apply to a request. Patterns are parsed in
 * advance, and an index for each stage selects the few rules whose patterns are tested.
 */
public final class RequestRules {

	private final CompiledRules rules;

	private final Options options;

	/** Created for the first request, since mappings are created after the filters. */
	private final SingletonSupplier<Map<Stage, PathIndex<RequestSelector>>> indexes;

	RequestRules(CompiledRules rules, Options options) {
		this.rules = rules;
		this.options = options;
		this.indexes = SingletonSupplier.of(() -> createIndexes(options.ignoresCase().getAsBoolean()));
	}

	private Map<Stage, PathIndex<RequestSelector>> createIndexes(boolean ignoringCase) {
		Map<Stage, PathIndex<RequestSelector>> created = new EnumMap<>(Stage.class);
		for (Stage stage : Stage.values()) {
			List<PathIndex.Entry<RequestSelector>> entries = this.rules.all()
				.stream()
				.filter((rule) -> stage.decides(rule) && rule.rule().selection().appliesTo() == AppliesTo.REQUESTS)
				.map((rule) -> new PathIndex.Entry<>(new RequestSelector(rule, ignoringCase),
						rule.rule().selection().methods(), rule.rule().selection().paths()))
				.toList();
			created.put(stage, new PathIndex<>(entries, ignoringCase));
		}
		return created;
	}

	private PathIndex<RequestSelector> index(Stage stage) {
		return Objects.requireNonNull(this.indexes.obtain().get(stage));
	}

	/**
	 * The rule set.
	 * @return all rules, including rules that apply to code
	 */
	public CompiledRules all() {
		return this.rules;
	}

	/**
	 * Matches a request with the rules of a stage.
	 * @param exchange looks up the handler, if a rule depends on it
	 * @return the rules that apply to the request, in the order of the rule set
	 */
	List<MatchedRule> match(Stage stage, HttpServletRequest request, RateLimitExchange exchange) {
		PathIndex<RequestSelector> index = index(stage);
		Collection<RequestSelector> candidates = index.find(request);
		if (candidates != null && candidates.isEmpty()) {
			return List.of();
		}
		String method = request.getMethod();
		RequestPaths paths = RequestPaths.of(request);
		if (candidates == null) {
			candidates = index.find(method, paths.normalized(), paths.cleaned(), paths.sent());
		}
		boolean limits = isForLimits(request);
		String reserved = limits ? this.options.limitsPath() : managementPath(candidates, paths, exchange);
		List<MatchedRule> matched = new ArrayList<>(candidates.size());
		for (RequestSelector candidate : candidates) {
			MatchedRule rule = candidate.select(method, paths,
					(limits && candidate.chargesOnlyFailures()) ? null : reserved);
			if (rule != null) {
				matched.add(rule.with(handling(candidate, method, paths, request, exchange)));
			}
		}
		return matched;
	}

	private boolean isForLimits(HttpServletRequest request) {
		return this.options.limitsPath() != null && RequestPaths.normalized(request).equals(this.options.limitsPath());
	}

	/**
	 * The path of the management endpoints if one of them will serve the request. The
	 * handler is looked up only if a rule may apply.
	 */
	private @Nullable String managementPath(Collection<RequestSelector> candidates, RequestPaths paths,
			RateLimitExchange exchange) {
		return (!candidates.isEmpty() && isForManagement(paths) && exchange.isForManagement())
				? this.options.managementPath() : null;
	}

	private boolean isForManagement(RequestPaths paths) {
		return this.options.managementPath() != null && paths.isBelow(this.options.managementPath());
	}

	/**
	 * Finds the rules for the requests of a mapping. A variable of the mapping matches
	 * variables and wildcards of rules, but no fixed segment.
	 * @param method the HTTP method
	 * @param pattern the pattern of the mapping, relative to the context path
	 * @return the rules that apply to all of these requests, apart from the conditions of
	 * the rules
	 */
	public List<Rule> ofMapping(String method, String pattern) {
		RequestPaths paths = RequestPaths.ofPattern(pattern);
		String reserved = isForManagement(paths) ? this.options.managementPath() : null;
		List<Rule> matched = new ArrayList<>();
		for (RequestSelector candidate : index(Stage.ALL).find(method, pattern)) {
			MatchedRule match = candidate.select(method, paths, reserved);
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
		Endpoint endpoint = exchange.caller().endpoint();
		if (endpoint == null) {
			return null;
		}
		return (request.getPathInfo() != null) ? request.getServletPath() + endpoint.pattern() : endpoint.pattern();
	}

	/**
	 * Options that do not change with the rules.
	 *
	 * @param managementPath the path of the management endpoints, which are only limited
	 * by rules with this path; {@code null} if there are no endpoints
	 * @param limitsPath the path where callers read their own limits, which is only
	 * limited by rules with this path, and by rules that charge only failures;
	 * {@code null} if there is no such path
	 * @param ignoresCase whether the application ignores case in paths; called at the
	 * first request
	 */
	public record Options(@Nullable String managementPath, @Nullable String limitsPath, BooleanSupplier ignoresCase) {

	}

}
