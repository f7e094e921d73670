package io.tierlimit.web;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.evaluation.MatchedRule;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.Rule;
import org.jspecify.annotations.Nullable;

import org.springframework.web.util.pattern.PathPattern;

/**
 * Selects the requests of one rule, by method and path.
 */
final class RequestSelector {

	private static final List<Path> NONE = List.of();

	/** Servlets respond to these methods themselves, without code of the application. */
	private static final Set<String> ANSWERED_BY_SERVLETS = Set.of("OPTIONS", "TRACE");

	private final Set<String> methods;

	private final List<PathPattern> excluded = new ArrayList<>();

	private final List<Path> paths = new ArrayList<>();

	private final @Nullable MatchedRule anyPath;

	private final boolean resetByStatus;

	private final boolean chargingOnlyFailures;

	RequestSelector(CompiledRule compiled, boolean ignoringCase) {
		Rule rule = compiled.rule();
		this.methods = rule.selection().methods();
		this.resetByStatus = compiled.settlesByHandler();
		this.chargingOnlyFailures = compiled.refunds(RequestOutcome.answered(200));
		for (String path : rule.selection().excludePaths()) {
			this.excluded.add(PathPatterns.parse(path));
		}
		for (String path : rule.selection().paths()) {
			this.paths
				.add(Path.of(PathPatterns.parse(path, ignoringCase), ignoringCase, new MatchedRule(compiled, path)));
		}
		this.anyPath = this.paths.isEmpty() ? new MatchedRule(compiled, null) : null;
	}

	/**
	 * Matches a request with the rule's methods and paths.
	 * @param method the request's method
	 * @param request the request's path
	 * @param reserved if the request is for this path, only paths of the rule that begin
	 * with it apply; {@code null} for none
	 * @return the rule and the matching pattern; {@code null} if the rule does not match
	 */
	@Nullable MatchedRule select(String method, RequestPaths request, @Nullable String reserved) {
		if (!selects(method) || excludes(request)) {
			return null;
		}
		if (this.anyPath != null) {
			return (reserved == null) ? this.anyPath : null;
		}
		// The matching pattern is the endpoint of a request without a mapping, so the
		// path as the client sent it is matched last.
		for (Path path : this.paths) {
			if (path.beginsWith(reserved) && path.matches(request)) {
				return path.rule();
			}
		}
		for (Path path : request.isPlain() ? NONE : this.paths) {
			if (path.beginsWith(reserved) && request.matchSent(path.pattern())) {
				return path.rule();
			}
		}
		return null;
	}

	/** Whether a status resets the bucket if the rule's paths identify the handler. */
	boolean isResetByStatus() {
		return this.resetByStatus;
	}

	/**
	 * Whether the rule refunds the charges of requests that succeed. Such a rule also
	 * applies to requests for the caller's limits, because they may guess credentials.
	 */
	boolean chargesOnlyFailures() {
		return this.chargingOnlyFailures;
	}

	/**
	 * Whether the rule's paths identify the handler of a matching request. A path pattern
	 * must match both forms of the path and, if there is a mapping, its pattern. A
	 * different handler may serve the path with an additional slash at the end, or with
	 * another media type. Servlets respond to some methods themselves: the rule
	 * identifies the handler of such a request only if it lists the method.
	 * @param method the request's method
	 * @param request the request's path
	 * @param mapping the pattern of the mapping that serves the request, relative to the
	 * context path, or {@code null}
	 */
	boolean names(String method, RequestPaths request, @Nullable String mapping) {
		if (ANSWERED_BY_SERVLETS.contains(method) && !this.methods.contains(method)) {
			return false;
		}
		if (this.anyPath != null) {
			return true;
		}
		for (Path path : this.paths) {
			PathPattern pattern = path.pattern();
			if (request.matchForAll(pattern) && (mapping == null || RequestPaths.matchText(pattern, mapping))) {
				return true;
			}
		}
		return false;
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

	/**
	 * A path of the rule.
	 *
	 * @param pattern the path
	 * @param beginning the part before {@code /**} if the pattern has no other variables
	 * or wildcards; {@code null} for any other pattern
	 * @param rule the rule, with the path as the endpoint
	 */
	private record Path(PathPattern pattern, @Nullable String beginning, MatchedRule rule) {

		private static final String EVERYTHING_BELOW = "/**";

		static Path of(PathPattern pattern, boolean ignoringCase, MatchedRule rule) {
			String text = pattern.getPatternString();
			String beginning = text.endsWith(EVERYTHING_BELOW)
					? text.substring(0, text.length() - EVERYTHING_BELOW.length()) : null;
			boolean compared = beginning != null && !ignoringCase && !PathPatterns.parse(beginning).hasPatternSyntax();
			return new Path(pattern, compared ? beginning : null, rule);
		}

		boolean beginsWith(@Nullable String reserved) {
			return reserved == null || this.pattern.getPatternString().startsWith(reserved);
		}

		/** Whether the path matches the form for servlets or static files. */
		boolean matches(RequestPaths request) {
			return (this.beginning != null && request.isPlain()) ? request.isBelow(this.beginning)
					: request.matchNormalized(this.pattern);
		}

	}

}
