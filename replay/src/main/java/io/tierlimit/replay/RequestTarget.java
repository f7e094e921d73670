package io.tierlimit.replay;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

/**
 * The target of a request, parsed as in a servlet container.
 *
 * @param uri the path as the client sent it
 * @param path the path relative to the context path: without path parameters, decoded,
 * and without empty segments, {@code .} and {@code ..}
 * @param query the query without its question mark, or {@code null}
 */
record RequestTarget(String uri, String path, @Nullable String query) {

	/**
	 * Parses a target.
	 * @param target the path and the query as the client sent them, or a URL
	 * @param contextPath the context path of the application, empty for the root
	 * @return the parts; {@code null} if a container rejects the target, or if it is not
	 * below the context path
	 */
	static @Nullable RequestTarget of(String target, String contextPath) {
		int question = target.indexOf('?');
		String uri = withoutOrigin((question < 0) ? target : target.substring(0, question));
		String query = (question < 0) ? null : target.substring(question + 1);
		String path = isPlain(uri) ? uri : normalize(uri);
		if (path == null || !path.startsWith(contextPath)) {
			return null;
		}
		String relative = path.substring(contextPath.length());
		if (relative.isEmpty()) {
			// The container redirects the context path without a slash.
			return null;
		}
		return relative.startsWith("/") ? new RequestTarget(uri, relative, query) : null;
	}

	private static String withoutOrigin(String target) {
		int scheme = target.startsWith("/") ? -1 : target.indexOf("://");
		if (scheme < 0) {
			return target;
		}
		int slash = target.indexOf('/', scheme + 3);
		return (slash < 0) ? "/" : target.substring(slash);
	}

	/** Whether there is nothing to decode or to normalize. */
	private static boolean isPlain(String uri) {
		if (!uri.startsWith("/")) {
			return false;
		}
		for (int i = 0; i < uri.length(); i++) {
			char c = uri.charAt(i);
			boolean special = c == '%' || c == ';' || c == '\\' || c <= ' ' || c >= 0x7f;
			if (special
					|| (c == '/' && i + 1 < uri.length() && (uri.charAt(i + 1) == '/' || uri.charAt(i + 1) == '.'))) {
				return false;
			}
		}
		return true;
	}

	private static @Nullable String normalize(String uri) {
		if (!uri.startsWith("/") || uri.indexOf('\\') >= 0 || containsSolidus(uri)) {
			return null;
		}
		String decoded;
		try {
			decoded = StringUtils.uriDecode(withoutParameters(uri), StandardCharsets.UTF_8);
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
		if (decoded.indexOf('\0') >= 0 || decoded.indexOf('\\') >= 0) {
			return null;
		}
		List<String> segments = new ArrayList<>();
		String[] parts = decoded.split("/+", -1);
		for (int i = 1; i < parts.length; i++) {
			if (parts[i].equals("..")) {
				if (segments.isEmpty()) {
					return null;
				}
				segments.remove(segments.size() - 1);
			}
			else if (!parts[i].equals(".") && !parts[i].isEmpty()) {
				segments.add(parts[i]);
			}
		}
		String last = parts[parts.length - 1];
		boolean slash = last.isEmpty() || last.equals(".") || last.equals("..");
		return "/" + String.join("/", segments) + ((slash && !segments.isEmpty()) ? "/" : "");
	}

	/** Whether the path contains an encoded slash, which containers reject. */
	private static boolean containsSolidus(String uri) {
		int percent = uri.indexOf('%');
		while (percent >= 0) {
			if (uri.regionMatches(true, percent + 1, "2f", 0, 2) || uri.regionMatches(true, percent + 1, "5c", 0, 2)) {
				return true;
			}
			percent = uri.indexOf('%', percent + 1);
		}
		return false;
	}

	/** Removes the path parameters of all segments. */
	private static String withoutParameters(String uri) {
		if (uri.indexOf(';') < 0) {
			return uri;
		}
		StringBuilder path = new StringBuilder(uri.length());
		boolean parameter = false;
		for (int i = 0; i < uri.length(); i++) {
			char c = uri.charAt(i);
			parameter = c == ';' || (parameter && c != '/');
			if (!parameter) {
				path.append(c);
			}
		}
		return path.toString();
	}

}
