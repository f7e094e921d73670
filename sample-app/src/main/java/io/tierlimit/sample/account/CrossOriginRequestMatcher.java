package io.tierlimit.sample.account;

import java.util.Set;

import jakarta.servlet.http.HttpServletRequest;

import org.springframework.http.HttpHeaders;
import org.springframework.security.web.util.matcher.RequestMatcher;

/**
 * Matches requests that a browser sends for a page of another origin, and that may change
 * something. Browsers add stored credentials of HTTP basic to such requests.
 * <p>
 * The page cannot set or suppress the headers {@code Sec-Fetch-Site} and {@code Origin}.
 * Programs such as {@code curl} send neither, and have no stored credentials that another
 * page could use, so they need no CSRF token. The algorithm is the same as in
 * {@code CrossOriginProtection} of Go's {@code net/http}.
 */
final class CrossOriginRequestMatcher implements RequestMatcher {

	private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS");

	private static final Set<String> OWN = Set.of("same-origin", "none");

	@Override
	public boolean matches(HttpServletRequest request) {
		if (SAFE.contains(request.getMethod())) {
			return false;
		}
		String site = request.getHeader("Sec-Fetch-Site");
		if (site != null) {
			return !OWN.contains(site);
		}
		// Browsers send Sec-Fetch-Site only over HTTPS and to localhost.
		String origin = request.getHeader(HttpHeaders.ORIGIN);
		return origin != null && !origin.equals("http://" + host(request))
				&& !origin.equals("https://" + host(request));
	}

	private static String host(HttpServletRequest request) {
		return request.getHeader(HttpHeaders.HOST);
	}

}
