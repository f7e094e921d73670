package io.tierlimit.replay;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

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

	/** A backslash, or an encoded slash or backslash, which containers reject. */
	private static final Pattern REJECTED = Pattern.compile("\\\\|%2f|%5c", Pattern.CASE_INSENSITIVE);

	private static final Pattern PARAMETERS = Pattern.compile(";[^/]*+");

	private static final Pattern SLASHES = Pattern.compile("/+");

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
		String path = normalize(uri);
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

	private static @Nullable String normalize(String uri) {
		if (!uri.startsWith("/") || REJECTED.matcher(uri).find()) {
			return null;
		}
		String decoded;
		try {
			decoded = StringUtils.uriDecode(PARAMETERS.matcher(uri).replaceAll(""), StandardCharsets.UTF_8);
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
		if (decoded.indexOf('\0') >= 0) {
			return null;
		}
		List<String> segments = new ArrayList<>();
		String[] parts = SLASHES.split(decoded, -1);
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

}
