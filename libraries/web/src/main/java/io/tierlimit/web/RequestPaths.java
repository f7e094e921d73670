package io.tierlimit.web;

import java.util.Objects;
import java.util.regex.Pattern;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.PathContainer;
import org.springframework.http.server.PathContainer.Options;
import org.springframework.http.server.RequestPath;
import org.springframework.web.util.pattern.PathPattern;

/**
 * The path of a request, relative to the context path, in each form that a handler may
 * match.
 * <p>
 * The path of nearly every request is <em>plain</em>: all forms are the same string,
 * which has nothing to decode and no path parameters. A plain path is parsed only if a
 * pattern has a variable or a wildcard, since other patterns are compared as strings.
 */
final class RequestPaths {

	private static final Options DECODED = Options.create('/', false);

	private static final Pattern SLASHES = Pattern.compile("[/\\\\]+");

	private final @Nullable String plain;

	/** The path as the client sent it: Spring MVC matches this form. */
	private final @Nullable PathContainer sent;

	/**
	 * The path as the container has decoded and normalized it: servlet mappings match
	 * this form.
	 */
	private @Nullable PathContainer normalized;

	/**
	 * The normalized path as Spring MVC's look-up of static files changes it: backslashes
	 * become slashes, several slashes in a row become one, and a slash at the end is
	 * removed.
	 */
	private final @Nullable PathContainer cleaned;

	private RequestPaths(@Nullable String plain, @Nullable PathContainer sent, @Nullable PathContainer normalized,
			@Nullable PathContainer cleaned) {
		this.plain = plain;
		this.sent = sent;
		this.normalized = normalized;
		this.cleaned = cleaned;
	}

	static RequestPaths of(HttpServletRequest request) {
		String plain = plain(request);
		if (plain != null) {
			return new RequestPaths(plain, null, null, null);
		}
		String path = normalized(request);
		PathContainer normalized = PathContainer.parsePath(path, DECODED);
		String clean = clean(path);
		PathContainer cleaned = clean.equals(path) ? normalized : PathContainer.parsePath(clean, DECODED);
		boolean same = request.getRequestURI().equals(request.getContextPath() + path);
		return new RequestPaths(null, same ? normalized : sent(request, normalized), normalized, cleaned);
	}

	/** The pattern of a mapping instead of a path. */
	static RequestPaths ofPattern(String pattern) {
		return new RequestPaths(pattern, null, null, null);
	}

	/** The path of a request if it is plain, otherwise {@code null}. */
	static @Nullable String plain(HttpServletRequest request) {
		String path = request.getServletPath();
		if (request.getPathInfo() != null || !isPlain(path)) {
			return null;
		}
		String context = request.getContextPath();
		String uri = request.getRequestURI();
		boolean same = uri.length() == context.length() + path.length() && uri.startsWith(context)
				&& uri.endsWith(path);
		return same ? path : null;
	}

	private static boolean isPlain(String path) {
		char last = 0;
		for (int i = 0; i < path.length(); i++) {
			char c = path.charAt(i);
			if (c == '%' || c == ';' || c == '\\' || (c == '/' && last == '/') || (c != '/' && i == 0)) {
				return false;
			}
			last = c;
		}
		return last != 0 && (last != '/' || path.length() == 1);
	}

	boolean isPlain() {
		return this.plain != null;
	}

	PathContainer sent() {
		return (this.sent != null) ? this.sent : normalized();
	}

	PathContainer normalized() {
		PathContainer parsed = this.normalized;
		if (parsed == null) {
			parsed = PathContainer.parsePath(Objects.requireNonNull(this.plain), DECODED);
			this.normalized = parsed;
		}
		return parsed;
	}

	PathContainer cleaned() {
		return (this.cleaned != null) ? this.cleaned : normalized();
	}

	private static String clean(String path) {
		if (!path.contains("//") && path.indexOf('\\') < 0 && !path.endsWith("/")) {
			return path;
		}
		String clean = SLASHES.matcher(path).replaceAll("/");
		return (clean.length() > 1 && clean.endsWith("/")) ? clean.substring(0, clean.length() - 1) : clean;
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
		return (this.plain != null) ? matchPlain(this.plain, pattern)
				: pattern.matches(normalized()) || (cleaned() != normalized() && pattern.matches(cleaned()));
	}

	private boolean matchPlain(String path, PathPattern pattern) {
		String text = pattern.getPatternString();
		if (text.equals(path) && !pattern.hasPatternSyntax()) {
			return true;
		}
		// A pattern may ignore case.
		return (pattern.hasPatternSyntax() || text.equalsIgnoreCase(path)) && pattern.matches(normalized());
	}

	/**
	 * Whether the form for Spring MVC matches, and differs from the form for servlets.
	 */
	boolean matchSent(PathPattern pattern) {
		return this.plain == null && sent() != normalized() && pattern.matches(sent());
	}

	/** Whether the forms for servlets and for Spring MVC both match. */
	boolean matchForAll(PathPattern pattern) {
		return (this.plain != null) ? matchPlain(this.plain, pattern)
				: pattern.matches(normalized()) && (sent() == normalized() || pattern.matches(sent()));
	}

	/** Whether a pattern matches a string, such as another pattern. */
	static boolean matchText(PathPattern pattern, String path) {
		return pattern.matches(PathContainer.parsePath(path, DECODED));
	}

	/** Whether the path is at or below the given one in both forms. */
	boolean isBelow(String path) {
		return (this.plain != null) ? isBelow(this.plain, path)
				: isBelow(sent().value(), path) && isBelow(normalized().value(), path);
	}

	private static boolean isBelow(String value, String path) {
		return value.startsWith(path) && (value.length() == path.length() || value.charAt(path.length()) == '/');
	}

}
