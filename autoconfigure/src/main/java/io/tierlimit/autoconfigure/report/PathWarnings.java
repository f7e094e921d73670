package io.tierlimit.autoconfigure.report;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

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
 * Finds paths and excluded paths of rules that contain the context path, or lack the path
 * of the dispatcher servlet. Finds unsafe paths without a rule. There is no warning of a
 * path that matches no mapping, because servlets, filters and static files have paths,
 * too.
 */
final class PathWarnings {

	private static final String CONTEXT_PATH = "server.servlet.context-path";

	private static final String SERVLET_PATH = "spring.mvc.servlet.path";

	private final String contextPath;

	private final String servletPath;

	private final List<String> mappings;

	private final List<String> servlets = new ArrayList<>();

	private final Function<Rule, String> names;

	private final Environment environment;

	PathWarnings(ListableBeanFactory beans, Function<Rule, String> names) {
		this.names = names;
		this.environment = beans.getBean(Environment.class);
		this.contextPath = path(this.environment.getProperty(CONTEXT_PATH, ""));
		this.servletPath = path(this.environment.getProperty(SERVLET_PATH, ""));
		boolean mvc = ClassUtils.isPresent("org.springframework.web.servlet.HandlerMapping",
				PathWarnings.class.getClassLoader());
		this.mappings = (mvc && !(this.contextPath + this.servletPath).isEmpty()) ? MappedPaths.find(beans) : List.of();
		for (ServletRegistrationBean<?> servlet : beans.getBeansOfType(ServletRegistrationBean.class, false, false)
			.values()) {
			this.servlets.addAll(servlet.getUrlMappings());
		}
	}

	private static String path(String text) {
		String path = text.strip();
		return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
	}

	/** Finds such paths: full sentences for each. */
	List<String> find(List<Rule> rules) {
		List<String> warnings = new ArrayList<>();
		for (Rule rule : rules) {
			rule.selection().paths().forEach((path) -> check(rule, "path", path, warnings));
			rule.selection().excludePaths().forEach((path) -> check(rule, "excluded path", path, warnings));
		}
		return warnings;
	}

	/**
	 * Finds that no rule limits requests of callers for their limits, or that no servlet
	 * serves the path.
	 * @param path the path of such requests, or {@code null}
	 */
	List<String> findOfLimits(@Nullable String path, List<Rule> rules) {
		List<String> warnings = new ArrayList<>();
		if (path == null) {
			return warnings;
		}
		PathContainer target = PathContainer.parsePath(path);
		boolean limited = rules.stream()
			.filter((rule) -> !rule.isShadow() && rule.selection().condition() == null)
			.filter((rule) -> rule.selection().methods().isEmpty() || rule.selection().methods().contains("GET"))
			.flatMap((rule) -> rule.selection().paths().stream())
			.map(PathPatterns::parse)
			.anyMatch((pattern) -> pattern.getPatternString().startsWith(path) && pattern.matches(target));
		if (!limited) {
			warnings.add("tierlimit.web.limits-path: no rule limits requests for " + path
					+ ". Each of them reads the store, and may have guessed credentials. Add a rule with the path "
					+ path + ".");
		}
		if (!this.servletPath.isEmpty() && !isAtOrBelow(path, this.servletPath) && !isOfServlet(path)) {
			warnings.add("tierlimit.web.limits-path: the server may respond with 404 to " + path
					+ ", because no servlet has this path (" + SERVLET_PATH + "). Set it to " + this.servletPath + path
					+ ".");
		}
		return warnings;
	}

	/**
	 * Finds that no rule limits requests to all of the management endpoints. Endpoints
	 * other than health require a login in most applications, and each of their paths
	 * shows whether a password is right.
	 * @param rules the rules that are checked before authentication
	 */
	List<String> findOfManagement(List<Rule> rules) {
		String path = ManagementPath.of(this.environment);
		if (path == null || !exposesMoreThanHealth()) {
			return List.of();
		}
		PathContainer below = PathContainer.parsePath(path + "/x/x");
		boolean limited = rules.stream()
			.filter((rule) -> !rule.isShadow())
			.filter((rule) -> rule.selection().methods().isEmpty() || rule.selection().methods().contains("GET"))
			.flatMap((rule) -> rule.selection().paths().stream())
			.map(PathPatterns::parse)
			.anyMatch((pattern) -> isAtOrBelow(pattern.getPatternString(), path) && pattern.matches(below));
		return limited ? List.of()
				: List.of("No rule limits requests to the management endpoints before authentication, so passwords can "
						+ "be guessed there as fast as the application responds. Add a rule per client address with "
						+ "the path " + path + "/**, or set management.server.port.");
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

	private void check(Rule rule, String kind, String text, List<String> warnings) {
		String path = text.startsWith("/") ? text : "/" + text;
		String owner = this.names.apply(rule) + ": " + kind + " '" + text + "' ";
		if (hasContextPath(path)) {
			warnings.add(owner + "begins with the context path, but paths are relative to it (" + CONTEXT_PATH
					+ "). Set it to " + path.substring(this.contextPath.length())
					+ "/".repeat(path.equals(this.contextPath) ? 1 : 0) + ".");
		}
		else if (lacksServletPath(path)) {
			warnings.add(owner + "is the mapping of a handler without the path of its servlet (" + SERVLET_PATH
					+ "). Set it to " + this.servletPath + path + ".");
		}
	}

	private boolean hasContextPath(String path) {
		return !this.contextPath.isEmpty() && isAtOrBelow(path, this.contextPath)
				&& this.mappings.stream().noneMatch((mapping) -> isAtOrBelow(mapping, this.contextPath))
				&& !isAtOrBelow(this.servletPath, this.contextPath) && !isOfServlet(path);
	}

	private boolean lacksServletPath(String path) {
		if (this.servletPath.isEmpty() || isAtOrBelow(path, this.servletPath) || isOfServlet(path)) {
			return false;
		}
		PathPattern pattern = PathPatterns.parse(path);
		return !pattern.matches(PathContainer.parsePath(this.servletPath + "/x"))
				&& this.mappings.stream().anyMatch((mapping) -> pattern.matches(PathContainer.parsePath(mapping)));
	}

	/** Whether a servlet other than Spring MVC's may serve the path. */
	private boolean isOfServlet(String path) {
		String first = path.substring(0, (path.indexOf('/', 1) < 0) ? path.length() : path.indexOf('/', 1));
		return this.servlets.stream()
			.anyMatch((mapping) -> isAtOrBelow(mapping, first)
					&& (this.servletPath.isEmpty() || !isAtOrBelow(mapping, this.servletPath)));
	}

	/** Compares whole segments. */
	private static boolean isAtOrBelow(String path, String other) {
		return path.startsWith(other) && (path.length() == other.length() || path.charAt(other.length()) == '/');
	}

}
