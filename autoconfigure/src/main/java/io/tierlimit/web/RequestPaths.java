package io.tierlimit.web;

import jakarta.servlet.http.HttpServletRequest;

import org.springframework.http.server.PathContainer;
import org.springframework.http.server.PathContainer.Options;
import org.springframework.http.server.RequestPath;
import org.springframework.web.util.pattern.PathPattern;

/**
 * A request's path relative to the context path as those who may serve it see it.
 *
 * @param sent as the client sent it: Spring MVC matches this
 * @param normalized decoded and normalized by the container: servlets are mapped by this
 * @param trimmed the same without slashes at its end: static files are found by this
 */
record RequestPaths(PathContainer sent, PathContainer normalized, PathContainer trimmed) {

	private static final Options DECODED = Options.create('/', false);

	static RequestPaths of(HttpServletRequest request) {
		String path = normalized(request);
		PathContainer normalized = PathContainer.parsePath(path, DECODED);
		PathContainer trimmed = path.endsWith("/") ? PathContainer.parsePath(trim(path), DECODED) : normalized;
		if (request.getRequestURI().equals(request.getContextPath() + path)) {
			return new RequestPaths(normalized, normalized, trimmed);
		}
		return new RequestPaths(sent(request, normalized), normalized, trimmed);
	}

	private static String trim(String path) {
		int end = path.length();
		while (end > 1 && path.charAt(end - 1) == '/') {
			end--;
		}
		return path.substring(0, end);
	}

	static String normalized(HttpServletRequest request) {
		String pathInfo = request.getPathInfo();
		return (pathInfo != null) ? request.getServletPath() + pathInfo : request.getServletPath();
	}

	private static PathContainer sent(HttpServletRequest request, PathContainer normalized) {
		try {
			return RequestPath.parse(request.getRequestURI(), request.getContextPath()).pathWithinApplication();
		}
		catch (IllegalArgumentException ex) {
			// No path to Spring: nothing of it can be reached but by the container's own.
			return normalized;
		}
	}

	/** Whether servlets or static files see a path that matches. */
	boolean matchNormalized(PathPattern pattern) {
		return pattern.matches(this.normalized) || (this.trimmed != this.normalized && pattern.matches(this.trimmed));
	}

	/** Whether Spring MVC sees a path that matches, if it sees another. */
	boolean matchSent(PathPattern pattern) {
		return this.sent != this.normalized && pattern.matches(this.sent);
	}

	/** Whether nobody who may serve the request sees a path that doesn't match. */
	boolean matchForAll(PathPattern pattern) {
		return pattern.matches(this.normalized) && (this.sent == this.normalized || pattern.matches(this.sent));
	}

	/** Whether everybody sees the path at or below the given one. */
	boolean isBelow(String path) {
		return isBelow(this.sent, path) && isBelow(this.normalized, path);
	}

	private static boolean isBelow(PathContainer container, String path) {
		String value = container.value();
		return value.startsWith(path) && (value.length() == path.length() || value.charAt(path.length()) == '/');
	}

}
