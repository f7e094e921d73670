package io.tierlimit.benchmarks.web;

import java.util.Collections;
import java.util.Enumeration;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.jspecify.annotations.Nullable;

import org.springframework.mock.web.MockHttpServletRequest;

/**
 * A request without a body. The methods that the filter calls do not allocate memory. One
 * object serves all requests of a thread.
 */
final class PlainRequest extends HttpServletRequestWrapper {

	private final String uri;

	private final String[] names = new String[8];

	private final @Nullable Object[] values = new Object[8];

	private int attributes;

	PlainRequest(String uri) {
		super(mock(uri));
		this.uri = uri;
	}

	private static HttpServletRequest mock(String uri) {
		MockHttpServletRequest mock = new MockHttpServletRequest("GET", uri);
		mock.setServletPath(uri);
		return mock;
	}

	/** Removes all attributes, for the next request. */
	PlainRequest recycled() {
		for (int i = 0; i < this.attributes; i++) {
			this.values[i] = null;
		}
		this.attributes = 0;
		return this;
	}

	@Override
	public @Nullable Object getAttribute(String name) {
		for (int i = 0; i < this.attributes; i++) {
			if (this.names[i].equals(name)) {
				return this.values[i];
			}
		}
		return null;
	}

	@Override
	public void setAttribute(String name, @Nullable Object value) {
		int i = 0;
		while (i < this.attributes && !this.names[i].equals(name)) {
			i++;
		}
		this.attributes = Math.max(this.attributes, i + 1);
		this.names[i] = name;
		this.values[i] = value;
	}

	@Override
	public String getMethod() {
		return "GET";
	}

	@Override
	public String getRequestURI() {
		return this.uri;
	}

	@Override
	public String getServletPath() {
		return this.uri;
	}

	@Override
	public @Nullable String getPathInfo() {
		return null;
	}

	@Override
	public String getContextPath() {
		return "";
	}

	@Override
	public String getProtocol() {
		return "HTTP/1.1";
	}

	@Override
	public String getRemoteAddr() {
		return "192.0.2.1";
	}

	@Override
	public @Nullable String getHeader(String name) {
		return null;
	}

	@Override
	public Enumeration<String> getHeaders(String name) {
		return Collections.emptyEnumeration();
	}

	@Override
	public long getContentLengthLong() {
		return -1;
	}

}
