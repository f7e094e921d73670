package io.tierlimit.replay;

import java.lang.reflect.Proxy;
import java.security.Principal;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.jspecify.annotations.Nullable;

/**
 * A logged request as the filter reads it. Methods whose values a log does not have throw
 * an exception.
 */
final class ReplayedRequest extends HttpServletRequestWrapper {

	private static final HttpServletRequest NOT_LOGGED = (HttpServletRequest) Proxy.newProxyInstance(
			ReplayedRequest.class.getClassLoader(), new Class<?>[] { HttpServletRequest.class },
			(proxy, method, arguments) -> {
				throw new UnsupportedOperationException("A replayed request has no " + method.getName());
			});

	private final LoggedRequest logged;

	private final RequestTarget target;

	private final String contextPath;

	private final Map<String, Object> attributes = new HashMap<>(4);

	private boolean authenticated;

	/**
	 * Creates a request.
	 * @param authenticated whether the server has authenticated the user, so that no
	 * filter does
	 */
	ReplayedRequest(LoggedRequest logged, RequestTarget target, String contextPath, boolean authenticated) {
		super(NOT_LOGGED);
		this.logged = logged;
		this.target = target;
		this.contextPath = contextPath;
		this.authenticated = authenticated;
	}

	/** Filters that are called after this method get the user. */
	void authenticate() {
		this.authenticated = true;
	}

	@Override
	public String getMethod() {
		return this.logged.method();
	}

	@Override
	public String getRequestURI() {
		return this.target.uri();
	}

	@Override
	public String getContextPath() {
		return this.contextPath;
	}

	@Override
	public String getServletPath() {
		return this.target.path();
	}

	@Override
	public @Nullable String getPathInfo() {
		return null;
	}

	@Override
	public @Nullable String getQueryString() {
		return this.target.query();
	}

	@Override
	public @Nullable String getRemoteAddr() {
		return this.logged.address();
	}

	@Override
	public @Nullable String getRemoteUser() {
		return this.authenticated ? this.logged.user() : null;
	}

	@Override
	public @Nullable Principal getUserPrincipal() {
		String user = getRemoteUser();
		return (user != null) ? () -> user : null;
	}

	@Override
	public @Nullable String getHeader(String name) {
		return this.logged.header(name);
	}

	@Override
	public Enumeration<String> getHeaders(String name) {
		String value = this.logged.header(name);
		return Collections.enumeration((value != null) ? List.of(value) : List.of());
	}

	/** Returns {@code null}, so that no body is read. */
	@Override
	public @Nullable String getContentType() {
		return null;
	}

	@Override
	public long getContentLengthLong() {
		return 0;
	}

	@Override
	public String getProtocol() {
		return "HTTP/1.1";
	}

	@Override
	public DispatcherType getDispatcherType() {
		return DispatcherType.REQUEST;
	}

	@Override
	public boolean isAsyncStarted() {
		return false;
	}

	@Override
	public @Nullable Object getAttribute(String name) {
		return this.attributes.get(name);
	}

	@Override
	public void setAttribute(String name, Object value) {
		this.attributes.put(name, value);
	}

	@Override
	public void removeAttribute(String name) {
		this.attributes.remove(name);
	}

}
