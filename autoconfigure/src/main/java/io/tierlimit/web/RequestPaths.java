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
 * @param cleaned the same as Spring MVC looks for static files: backslashes are slashes,
 * several slashes in a row are one, and there is none at the end
 */
record RequestPaths(PathContainer sent, PathContainer normalized, PathContainer cleaned) {

	private static final Options DECODED = Options.create('/', false);

	static RequestPaths of(HttpServletRequest request) {
		String path = normalized(request);
		PathContainer normalized = PathContainer.parsePath(path, DECODED);
		String clean = clean(path);
		PathContainer cleaned = clean.equals(path) ? normalized : PathContainer.parsePath(clean, DECODED);
		if (request.getRequestURI().equals(request.getContextPath() + path)) {
			return new RequestPaths(normalized, normalized, cleaned);
		}
		return new RequestPaths(sent(request, normalized), normalized, cleaned);
	}

	private static String clean(String path) {
		if (!path.contains("//") && path.indexOf('\\') < 0 && !path.endsWith("/")) {
			return path;
		}
		StringBuilder clean = new StringBuilder(path.length());
		for (int i = 0; i < path.length(); i++) {
			char c = (path.charAt(i) == '\\') ? '/' : path.charAt(i);
			if (c != '/' || clean.isEmpty() || clean.charAt(clean.length() - 1) != '/') {
				clean.append(c);
			}
		}
		int end = clean.length();
		return clean.substring(0, (end > 1 && clean.charAt(end - 1) == '/') ? end - 1 : end);
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
		return pattern.matches(this.normalized) || (this.cleaned != this.normalized && pattern.matches(this.cleaned));
	}

	/** Whether Spring MVC sees a path that matches, if it sees another. */
	boolean matchSent(PathPattern pattern) {
		return this.sent != this.normalized && pattern.matches(this.sent);
	}

	/** Whether nobody who may serve the request sees a path that doesn't match. */
	boolean matchForAll(PathPattern pattern) {
		return pattern.matches(this.normalized) && (this.sent == this.normalized || pattern.matches(this.sent));
	}

	/** Whether a pattern matches a text, such as the pattern of a mapping. */
	static boolean matchText(PathPattern pattern, String path) {
		return pattern.matches(PathContainer.parsePath(path, DECODED));
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
