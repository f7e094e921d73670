package io.tierlimit.web.mvc;

import java.util.Collection;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.tierlimit.web.ContentTypes;
import io.tierlimit.web.Parameters;
import io.tierlimit.web.QueryParameters;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.Part;

import org.jspecify.annotations.Nullable;

/**
 * A copy of a request for the look-up of its handler. A handler mapping stores its
 * results in request attributes, and the original does not get them. Reading a parameter
 * would read an upload, so an upload that has not reached its servlet only has the
 * parameters of its query.
 */
final class DetachedRequest extends HttpServletRequestWrapper {

	private final Map<String, @Nullable Object> changed = new HashMap<>();

	private final boolean complete;

	private @Nullable Map<String, String[]> query;

	DetachedRequest(HttpServletRequest request, boolean arrived) {
		super(request);
		this.complete = arrived || !ContentTypes.isMultipart(request);
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

	@Override
	public Map<String, String[]> getParameterMap() {
		if (this.complete) {
			return Parameters.read((HttpServletRequest) getRequest(), super::getParameterMap);
		}
		if (this.query == null) {
			this.query = QueryParameters.of(this).all();
		}
		return this.query;
	}

	@Override
	public @Nullable String getParameter(String name) {
		String[] values = getParameterValues(name);
		return (values != null) ? values[0] : null;
	}

	@Override
	public String @Nullable [] getParameterValues(String name) {
		return getParameterMap().get(name);
	}

	@Override
	public Enumeration<String> getParameterNames() {
		return Collections.enumeration(getParameterMap().keySet());
	}

	@Override
	public Collection<Part> getParts() {
		return List.of();
	}

	@Override
	public @Nullable Part getPart(String name) {
		return null;
	}

}
