package io.tierlimit.web;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.Collection;
import java.util.List;

import io.tierlimit.key.Caller;
import io.tierlimit.key.Endpoint;
import jakarta.servlet.http.HttpServletRequest;

import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;

/**
 * The facts of an HTTP request.
 */
final class HttpCaller implements Caller {

	private final HttpServletRequest request;

	private final HttpCallers sources;

	private @Nullable Collection<String> authorities;

	private boolean planResolved;

	private @Nullable String plan;

	private boolean endpointFound;

	private @Nullable Endpoint endpoint;

	HttpCaller(HttpServletRequest request, HttpCallers sources) {
		this.request = request;
		this.sources = sources;
	}

	@Override
	public @Nullable String ip() {
		return this.request.getRemoteAddr();
	}

	@Override
	public @Nullable String user() {
		Principal principal = this.request.getUserPrincipal();
		return (principal != null) ? principal.getName() : null;
	}

	@Override
	public Collection<String> authorities() {
		Collection<String> known = this.authorities;
		if (known == null) {
			Principal principal = this.request.getUserPrincipal();
			known = (principal != null) ? List.copyOf(this.sources.authorities().resolve(principal)) : List.of();
			this.authorities = known;
		}
		return known;
	}

	@Override
	public @Nullable String plan() {
		if (!this.planResolved) {
			this.planResolved = true;
			this.plan = this.sources.plan(this);
		}
		return this.plan;
	}

	@Override
	public String method() {
		return this.request.getMethod();
	}

	@Override
	public String path() {
		return RequestPaths.normalized(this.request);
	}

	@Override
	public @Nullable Endpoint endpoint() {
		if (!this.endpointFound) {
			this.endpoint = this.sources.endpoints().find(this.request);
			this.endpointFound = true;
		}
		return this.endpoint;
	}

	@Override
	public @Nullable String header(String name) {
		return this.request.getHeader(name);
	}

	@Override
	public @Nullable String param(String name) {
		return isForm() ? this.request.getParameter(name) : queryParam(name);
	}

	private boolean isForm() {
		String type = this.request.getContentType();
		return type != null && type.regionMatches(true, 0, MediaType.APPLICATION_FORM_URLENCODED_VALUE, 0,
				MediaType.APPLICATION_FORM_URLENCODED_VALUE.length());
	}

	/** The container's own look-up would read a multipart body. */
	private @Nullable String queryParam(String name) {
		String query = this.request.getQueryString();
		if (query == null) {
			return null;
		}
		for (String pair : query.split("&", -1)) {
			int equals = pair.indexOf('=');
			if (name.equals(decode((equals < 0) ? pair : pair.substring(0, equals)))) {
				return (equals < 0) ? "" : decode(pair.substring(equals + 1));
			}
		}
		return null;
	}

	private static String decode(String text) {
		try {
			return URLDecoder.decode(text, StandardCharsets.UTF_8);
		}
		catch (IllegalArgumentException ex) {
			return text;
		}
	}

}
