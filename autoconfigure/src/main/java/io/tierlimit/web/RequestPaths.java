package io.tierlimit.web;

import jakarta.servlet.http.HttpServletRequest;

import org.springframework.http.server.PathContainer;
import org.springframework.http.server.PathContainer.Options;
import org.springframework.http.server.RequestPath;
import org.springframework.web.util.pattern.PathPattern;

/**
 * The path of a request, relative to the context path, in each form that a handler may
 * match.
 *
 * @param sent as the client sent it: Spring MVC matches this form
 * @param normalized decoded and normalized by the container: servlet mappings match this
 * form
 * @param cleaned the normalized path as Spring MVC's look-up of static files changes it:
 * backslashes become slashes, several slashes in a row become one, and a slash at the end
 * is removed
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
			// Spring cannot parse this path, so only servlets of the container can match
			// it.
			return normalized;
		}
	}

	/** Whether the form for servlets or static files matches. */
	boolean matchNormalized(PathPattern pattern) {
		return pattern.matches(this.normalized) || (this.cleaned != this.normalized && pattern.matches(this.cleaned));
	}

	/** Whether the form for Spring MVC matches and differs from the one for servlets. */
	boolean matchSent(PathPattern pattern) {
		return this.sent != this.normalized && pattern.matches(this.sent);
	}

	/** Whether the forms for servlets and for Spring MVC both match. */
	boolean matchForAll(PathPattern pattern) {
		return pattern.matches(this.normalized) && (this.sent == this.normalized || pattern.matches(this.sent));
	}

	/** Whether a pattern matches a text, such as another pattern. */
	static boolean matchText(PathPattern pattern, String path) {
		return pattern.matches(PathContainer.parsePath(path, DECODED));
	}

	/** Whether the path is at or below the given one in both forms. */
	boolean isBelow(String path) {
		return isBelow(this.sent, path) && isBelow(this.normalized, path);
	}

	private static boolean isBelow(PathContainer container, String path) {
		String value = container.value();
		return value.startsWith(path) && (value.length() == path.length() || value.charAt(path.length()) == '/');
	}

}
