package io.tierlimit.web.mvc;

import java.util.HashMap;
import java.util.Map;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;

import org.jspecify.annotations.Nullable;

/**
 * A request whose attributes can be set without a trace in the original: a handler
 * mapping leaves what it found in attributes.
 */
final class DetachedRequest extends HttpServletRequestWrapper {

	private final Map<String, @Nullable Object> changed = new HashMap<>();

	DetachedRequest(HttpServletRequest request) {
		super(request);
	}

	@Override
	public @Nullable Object getAttribute(String name) {
		return this.changed.containsKey(name) ? this.changed.get(name) : super.getAttribute(name);
	}

	@Override
	public void setAttribute(String name, @Nullable Object value) {
		this.changed.put(name, value);
	}

	@Override
	public void removeAttribute(String name) {
		this.changed.put(name, null);
	}

}
