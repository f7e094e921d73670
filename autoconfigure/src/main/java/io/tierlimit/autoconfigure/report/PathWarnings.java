package io.tierlimit.autoconfigure.report;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

import io.tierlimit.autoconfigure.properties.ManagementPath;
import io.tierlimit.rule.Rule;
import io.tierlimit.web.PathPatterns;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.core.env.Environment;
import org.springframework.http.server.PathContainer;
import org.springframework.util.ClassUtils;
import org.springframework.web.util.pattern.PathPattern;

/**
 * Warns of paths and excluded paths of rules that contain the context path, or lack the
 * path of the dispatcher servlet. Warns of unsafe paths without a rule. There is no
 * warning of a path that matches no mapping, because servlets, filters and static files
 * also have paths.
 */
final class PathWarnings {

	private static final String CONTEXT_PATH = "server.servlet.context-path";

	private static final String SERVLET_PATH = "spring.mvc.servlet.path";

	private final Environment environment;

	private final String contextPath;

	private final String servletPath;

	private final List<String> mappings;

	private final List<String> servlets;

	private final Function<Rule, String> names;

	private final Consumer<String> warnings;

	PathWarnings(ListableBeanFactory beans, Function<Rule, String> names, Consumer<String> warnings) {
		this.environment = beans.getBean(Environment.class);
		this.contextPath = path(CONTEXT_PATH);
		this.servletPath = path(SERVLET_PATH);
		boolean mvc = ClassUtils.isPresent("org.springframework.web.servlet.HandlerMapping",
				PathWarnings.class.getClassLoader());
		this.mappings = (mvc && !(this.contextPath + this.servletPath).isEmpty()) ? MappedPaths.find(beans) : List.of();
		this.servlets = beans.getBeansOfType(ServletRegistrationBean.class, false, false)
			.values()
			.stream()
			.flatMap((servlet) -> ((ServletRegistrationBean<?>) servlet).getUrlMappings().stream())
			.toList();
		this.names = names;
		this.warnings = warnings;
	}

	private String path(String property) {
		return this.environment.getProperty(property, "").strip().replaceFirst("/$", "");
	}

	/** Warns of such paths in rules. */
	void check(List<Rule> rules) {
		for (Rule rule : rules) {
			rule.selection().paths().forEach((path) -> check(rule, "path", path));
			rule.selection().excludePaths().forEach((path) -> check(rule, "excluded path", path));
		}
	}

	private void check(Rule rule, String kind, String text) {
		String path = text.startsWith("/") ? text : "/" + text;
		String owner = this.names.apply(rule) + ": " + kind + " '" + text + "' ";
		if (hasContextPath(path)) {
			String relative = path.substring(this.contextPath.length());
			this.warnings.accept(owner + "begins with the context path, but paths are relative to it (" + CONTEXT_PATH
					+ "). Set it to " + (relative.isEmpty() ? "/" : relative) + ".");
		}
		else if (lacksServletPath(path)) {
			this.warnings.accept(owner + "is the mapping of a handler without the path of its servlet (" + SERVLET_PATH
					+ "). Set it to " + this.servletPath + path + ".");
		}
	}

	private boolean hasContextPath(String path) {
		return !this.contextPath.isEmpty() && isAtOrBelow(path, this.contextPath)
				&& Stream.concat(this.mappings.stream(), this.servlets.stream())
					.noneMatch((mapping) -> isAtOrBelow(mapping, this.contextPath));
	}

	private boolean lacksServletPath(String path) {
		PathPattern pattern = PathPatterns.parse(path);
		return !this.servletPath.isEmpty() && !isAtOrBelow(path, this.servletPath)
				&& !pattern.matches(PathContainer.parsePath(this.servletPath + "/x"))
				&& this.mappings.stream().anyMatch((mapping) -> pattern.matches(PathContainer.parsePath(mapping)));
	}

	/**
	 * Warns if no rule limits the requests with which callers read their own limits.
	 * @param path the path of these requests, or {@code null}
	 * @param rules the rules for requests
	 */
	void checkLimits(@Nullable String path, List<Rule> rules) {
		List<Rule> unconditional = rules.stream().filter((rule) -> rule.options().expressions().isEmpty()).toList();
		if (path != null && !isLimited(path, path, unconditional)) {
			this.warnings.accept("tierlimit.web.limits-path: no rule limits requests for " + path
					+ ". Each of them reads the store, and may have guessed credentials. Add a rule with the path "
					+ path + ".");
		}
	}

	/**
	 * Warns if no rule limits requests to all of the management endpoints. Endpoints
	 * other than health require a login in most applications, and each of their paths
	 * shows whether a password is right.
	 * @param rules the rules that are checked before authentication
	 */
	void checkManagement(List<Rule> rules) {
		String path = ManagementPath.of(this.environment);
		if (path != null && exposesMoreThanHealth() && !isLimited(path, path + "/x/x", rules)) {
			this.warnings.accept("No rule limits requests to the management endpoints before authentication, so "
					+ "passwords can be guessed there as fast as the application responds. Add a rule per client address "
					+ "with the path " + path + "/**, or set management.server.port.");
		}
	}

	/** Whether a rule with a path at or below another path limits requests. */
	private static boolean isLimited(String path, String request, List<Rule> rules) {
		PathContainer target = PathContainer.parsePath(request);
		return rules.stream()
			.filter((rule) -> !rule.isShadow())
			.filter((rule) -> rule.selection().methods().isEmpty() || rule.selection().methods().contains("GET"))
			.flatMap((rule) -> rule.selection().paths().stream())
			.map(PathPatterns::parse)
			.anyMatch((pattern) -> isAtOrBelow(pattern.getPatternString(), path) && pattern.matches(target));
	}

	private boolean exposesMoreThanHealth() {
		Set<String> exposed = new HashSet<>(exposure("include"));
		exposed.removeAll(exposure("exclude"));
		exposed.remove("health");
		return !exposed.isEmpty();
	}

	private Set<String> exposure(String property) {
		return Binder.get(this.environment)
			.bind("management.endpoints.web.exposure." + property, Bindable.setOf(String.class))
			.orElseGet(Set::of);
	}

	/** Compares whole segments. */
	private static boolean isAtOrBelow(String path, String other) {
		return path.startsWith(other) && (path.length() == other.length() || path.charAt(other.length()) == '/');
	}

}
