package io.tierlimit.replay;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import io.tierlimit.Verdict;
import io.tierlimit.autoconfigure.properties.FilterOrders;
import io.tierlimit.autoconfigure.rules.ConfiguredRules;
import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.evaluation.ActiveRules;
import io.tierlimit.option.adaptive.AdaptivePolicy;
import io.tierlimit.rule.CallerOverride;
import io.tierlimit.rule.CallerOverride.Kind;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.web.RateLimitFilter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.web.context.support.GenericWebApplicationContext;

/**
 * Replays requests under the rules of a configuration. The rules are read and checked as
 * at the startup of an application, and the application's own filter decides each
 * request, with buckets in memory and a clock that shows the time of the request. The
 * verdicts are therefore the same as in a running application that receives the same
 * requests at the same times.
 * <p>
 * Rules that need a fact that the log does not have are not replayed: see
 * {@link #skipped()}. Rules that an application defines in code and annotations are not
 * replayed either. Environment variables and system properties override the
 * configuration, and select profiles, as in an application. Not thread-safe.
 */
public final class Replay implements AutoCloseable {

	/** The maximum number of overrides that a warning lists. */
	private static final int MAX_IDS = 10;

	private final GenericWebApplicationContext context;

	private final ReplayClock clock;

	private final VerdictRecorder verdicts;

	private final String contextPath;

	private final List<String> rules;

	private final List<SkippedRule> skipped;

	private final List<String> warnings;

	private final boolean springSecurity;

	private final RateLimitFilter filter;

	/** The filter after authentication, or {@code null} without Spring Security. */
	private final @Nullable RateLimitFilter authenticated;

	private Replay(GenericWebApplicationContext context, ReplayClock clock, VerdictRecorder verdicts, RuleFacts facts,
			boolean springSecurity) {
		this.context = context;
		this.clock = clock;
		this.verdicts = verdicts;
		this.springSecurity = springSecurity;
		String path = context.getEnvironment().getProperty("server.servlet.context-path", "");
		this.contextPath = path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
		ActiveRules rules = context.getBean(ActiveRules.class);
		this.skipped = new ArrayList<>();
		List<Rule> replayed = new ArrayList<>();
		for (CompiledRule compiled : rules.current().all()) {
			List<String> missing = facts.missing(compiled.rule());
			if (missing.isEmpty()) {
				replayed.add(compiled.rule());
			}
			else {
				this.skipped.add(new SkippedRule(compiled.rule().id(), missing));
			}
		}
		rules.replace(rules.compile(new RuleSet(replayed).overrides(rules.current().overrides())));
		this.warnings = new ArrayList<>(context.getBean(ConfiguredRules.class).warnings());
		if (context.getEnvironment().getProperty("tierlimit.jdbc.rules.enabled", Boolean.class, false)) {
			this.warnings
				.add("tierlimit.jdbc.rules.enabled is true, but a replay does not connect to a database: rules "
						+ "and overrides in tables are not replayed.");
		}
		List<CallerOverride> overrides = rules.current().overrides();
		addWarning(Kind.USER, "users", overrides, replayed, facts);
		addWarning(Kind.ADDRESS, "addresses", overrides, replayed, facts);
		List<String> adaptive = replayed.stream()
			.filter((rule) -> rule.options().find(AdaptivePolicy.class) != null)
			.map(Rule::id)
			.toList();
		if (!adaptive.isEmpty()) {
			this.warnings.add("A log does not show the health of what rules protect: rules with an adaptive rate are "
					+ "replayed at their full rate: " + String.join(", ", adaptive) + ".");
		}
		this.rules = replayed.stream().map(Rule::id).toList();
		this.filter = filter(context, FilterOrders.FILTER_BEAN);
		this.authenticated = context.containsBean(FilterOrders.AUTHENTICATED_FILTER_BEAN)
				? filter(context, FilterOrders.AUTHENTICATED_FILTER_BEAN) : null;
	}

	/**
	 * Adds a warning for overrides of replayed rules if the log does not show the callers
	 * of the overrides.
	 */
	private void addWarning(Kind kind, String callers, List<CallerOverride> overrides, List<Rule> rules,
			RuleFacts facts) {
		String fact = facts.missing(kind);
		List<String> ids = (fact == null) ? List.of()
				: overrides.stream()
					.filter((override) -> override.target().kind() == kind
							&& rules.stream().anyMatch((rule) -> override.concerns(rule.id())))
					.map(CallerOverride::id)
					.toList();
		if (!ids.isEmpty()) {
			this.warnings.add("Overrides of " + callers + " are not replayed because the log has no " + fact + ": "
					+ String.join(", ", ids.subList(0, Math.min(MAX_IDS, ids.size())))
					+ ((ids.size() > MAX_IDS) ? ", and " + (ids.size() - MAX_IDS) + " others" : "")
					+ ". Requests of their callers are replayed with the limits of the rules.");
		}
	}

	private static RateLimitFilter filter(GenericWebApplicationContext context, String bean) {
		return (RateLimitFilter) Objects
			.requireNonNull(context.getBean(bean, FilterRegistrationBean.class).getFilter());
	}

	/**
	 * Reads the rules of a configuration.
	 * @param configuration a file as Spring Boot reads it, such as
	 * {@code application.yml}, or a directory with such a file
	 * @param logged the facts that the log has, such as the result of
	 * {@link AccessLog#facts()}
	 * @param options the properties of the application that the file does not show
	 * @return a replay with full buckets, which the caller closes
	 * @throws IllegalArgumentException if the file cannot be read, or is not valid; the
	 * message lists all problems
	 */
	public static Replay of(Path configuration, Set<String> logged, ReplayOptions options) {
		ReplayClock clock = new ReplayClock();
		VerdictRecorder verdicts = new VerdictRecorder();
		ReplayContext builder = new ReplayContext(configuration, options, clock, verdicts);
		GenericWebApplicationContext context = builder.start();
		return new Replay(context, clock, verdicts, new RuleFacts(logged, !options.endpoints().isEmpty()),
				options.springSecurity());
	}

	/**
	 * The rules that are replayed.
	 * @return the ids of the rules in the order of the configuration
	 */
	public List<String> rules() {
		return this.rules;
	}

	/**
	 * The rules that are not replayed.
	 * @return the rules with the reasons
	 */
	public List<SkippedRule> skipped() {
		return List.copyOf(this.skipped);
	}

	/**
	 * The warnings that the startup of an application logs about values that are valid,
	 * but have no effect or are unsafe, and warnings about features that a replay
	 * ignores: the tables of rules and overrides, overrides of callers that the log does
	 * not show, and reductions of adaptive rates.
	 * @return full sentences
	 */
	public List<String> warnings() {
		return List.copyOf(this.warnings);
	}

	/**
	 * Replays a request. A request that is out of order is replayed at the time of the
	 * previous request.
	 * @param request the request
	 * @return the verdict; {@code null} if the request would not reach the application,
	 * because its target is not below the context path, or because a server rejects the
	 * target
	 */
	public @Nullable Verdict replay(LoggedRequest request) {
		RequestTarget target = RequestTarget.of(request.target(), this.contextPath);
		if (target == null) {
			return null;
		}
		this.clock.advanceTo(request.time());
		this.verdicts.begin(request);
		ReplayedRequest replayed = new ReplayedRequest(request, target, this.contextPath, !this.springSecurity);
		try {
			this.filter.doFilter(replayed, new ReplayedResponse(), afterFilter(request, replayed));
		}
		catch (IOException | ServletException ex) {
			throw new IllegalStateException("A replayed request cannot fail", ex);
		}
		return this.verdicts.last();
	}

	/**
	 * The filter chain after the first filter. It responds to a request with the logged
	 * status. Spring Security comes before the second filter.
	 */
	private FilterChain afterFilter(LoggedRequest request, ReplayedRequest replayed) {
		FilterChain application = (servletRequest, response) -> ((HttpServletResponse) response)
			.setStatus(status(request));
		RateLimitFilter second = this.authenticated;
		if (second == null || isAnsweredBySecurity(request)) {
			return application;
		}
		return (servletRequest, response) -> {
			replayed.authenticate();
			second.doFilter(servletRequest, response, application);
		};
	}

	/**
	 * Whether Spring Security has responded to the request: with 401 to an anonymous
	 * caller, or with 403 to an authenticated caller. A 403 to an anonymous caller may
	 * come from a rule that requires a user.
	 */
	private static boolean isAnsweredBySecurity(LoggedRequest request) {
		Integer status = request.status();
		return status != null && (status == HttpServletResponse.SC_UNAUTHORIZED
				|| (status == HttpServletResponse.SC_FORBIDDEN && request.user() != null));
	}

	/**
	 * The status without a limit. The status that a rejected request would have had is
	 * unknown, so 200 is assumed.
	 */
	private static int status(LoggedRequest request) {
		Integer status = request.status();
		return (status == null || status == 429) ? HttpServletResponse.SC_OK : status;
	}

	@Override
	public void close() {
		this.context.close();
	}

}
