package io.tierlimit.web;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.evaluation.MatchedRule;
import io.tierlimit.rule.Rule;

import org.jspecify.annotations.Nullable;
import org.springframework.web.util.pattern.PathPattern;

/**
 * Selects the requests of one rule, by method and path.
 */
final class RequestSelector {

	private final Set<String> methods;

	private final List<PathPattern> excluded = new ArrayList<>();

	private final Map<PathPattern, MatchedRule> paths = new LinkedHashMap<>();

	private final @Nullable MatchedRule anyPath;

	RequestSelector(CompiledRule compiled, boolean ignoringCase) {
		Rule rule = compiled.rule();
		this.methods = rule.selection().methods();
		for (String path : rule.selection().excludePaths()) {
			this.excluded.add(PathPatterns.parse(path));
		}
		for (String path : rule.selection().paths()) {
			this.paths.put(PathPatterns.parse(path, ignoringCase), new MatchedRule(compiled, path));
		}
		this.anyPath = this.paths.isEmpty() ? new MatchedRule(compiled, null) : null;
	}

	/**
	 * Matches a request with the rule's methods and paths.
	 * @param method the request's method
	 * @param request the request's path
	 * @param management the path of the management endpoints if the request is for one:
	 * only a pattern that begins with this path can match; {@code null} for any other
	 * request
	 * @return the rule and the matching pattern; {@code null} if the rule does not match
	 */
	@Nullable MatchedRule select(String method, RequestPaths request, @Nullable String management) {
		if (!selects(method) || excludes(request)) {
			return null;
		}
		if (this.anyPath != null) {
			return (management == null) ? this.anyPath : null;
		}
		// The pattern is the endpoint of a request without a mapping, so the path in the
		// spelling of the client is matched last.
		MatchedRule served = first(request::matchNormalized, management);
		return (served != null) ? served : first(request::matchSent, management);
	}

	/**
	 * Whether the rule's paths identify the handler of a matching request. A path pattern
	 * must match both forms of the path and, if there is a mapping, its pattern. A
	 * different handler may serve the path with an additional slash at the end, or with
	 * another media type.
	 * @param request the request's path
	 * @param mapping the pattern of the mapping that serves the request, relative to the
	 * context path, or {@code null}
	 */
	boolean names(RequestPaths request, @Nullable String mapping) {
		if (this.anyPath != null) {
			return true;
		}
		for (PathPattern pattern : this.paths.keySet()) {
			if (request.matchForAll(pattern) && (mapping == null || RequestPaths.matchText(pattern, mapping))) {
				return true;
			}
		}
		return false;
	}

	private @Nullable MatchedRule first(Predicate<PathPattern> matches, @Nullable String management) {
		for (Map.Entry<PathPattern, MatchedRule> path : this.paths.entrySet()) {
			boolean names = management == null || path.getKey().getPatternString().startsWith(management);
			if (names && matches.test(path.getKey())) {
				return path.getValue();
			}
		}
		return null;
	}

	private boolean excludes(RequestPaths request) {
		for (PathPattern pattern : this.excluded) {
			if (request.matchForAll(pattern)) {
				return true;
			}
		}
		return false;
	}

	private boolean selects(String method) {
		return this.methods.isEmpty() || this.methods.contains(method)
				|| (method.equals("HEAD") && this.methods.contains("GET"));
	}

}
