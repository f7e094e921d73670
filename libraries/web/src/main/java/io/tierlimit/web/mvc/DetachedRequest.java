package io.tierlimit.web.mvc;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.tierlimit.web.ContentTypes;
import io.tierlimit.web.Parameters;
import io.tierlimit.web.QueryParameters;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.Part;
import org.jspecify.annotations.Nullable;

/**
 * A copy of a request for the look-up of its handler. A handler mapping stores its
 * results in attributes of the copy, not of the original request. The body is left to the
 * handler: a mapping that reads the body finds no handler.
 * <p>
 * Reading a parameter would read an upload. An upload that has not reached its servlet
 * therefore only has the parameters of its query. The same applies to every request after
 * a mapping has tried to read the body, since the mapping will try again.
 */
final class DetachedRequest extends HttpServletRequestWrapper {

	private final Map<String, @Nullable Object> changed = new HashMap<>();

	private final boolean complete;

	private boolean bodySought;

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
	public ServletInputStream getInputStream() throws IOException {
		this.bodySought = true;
		if (ContentTypes.mayHaveBody(this)) {
			throw new IOException("The body of a request is not read to find its handler");
		}
		return new EmptyBody();
	}

	@Override
	public BufferedReader getReader() throws IOException {
		return new BufferedReader(new InputStreamReader(getInputStream(), StandardCharsets.UTF_8));
	}

	@Override
	public Map<String, String[]> getParameterMap() {
		if (this.complete && !this.bodySought) {
			return Parameters.read((HttpServletRequest) getRequest(), super::getParameterMap);
		}
		if (this.query == null) {
			Map<String, String[]> values = new LinkedHashMap<>();
			QueryParameters.of(this).forEach((name, all) -> values.put(name, all.toArray(String[]::new)));
			this.query = values;
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

	/** The empty body of a request. */
	private static final class EmptyBody extends ServletInputStream {

		@Override
		public int read() {
			return -1;
		}

		@Override
		public boolean isFinished() {
			return true;
		}

		@Override
		public boolean isReady() {
			return true;
		}

		@Override
		public void setReadListener(ReadListener listener) {
			throw new IllegalStateException("The request is not asynchronous");
		}

	}

}
