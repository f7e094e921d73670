package io.tierlimit.web;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.Collection;
import java.util.Enumeration;
import java.util.Map;

import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.Part;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.util.WebUtils;

/**
 * A request that notices whether anybody reads its body. Once somebody has, a rejection
 * no longer refunds what the request was charged: uploads would be free.
 */
final class BodyTrackingRequest extends HttpServletRequestWrapper {

	private volatile boolean bodyRead;

	private BodyTrackingRequest(HttpServletRequest request) {
		super(request);
	}

	/** The request itself if it has no body. */
	static HttpServletRequest of(HttpServletRequest request) {
		return mayHaveBody(request) ? new BodyTrackingRequest(request) : request;
	}

	static boolean mayHaveBody(HttpServletRequest request) {
		long length = request.getContentLengthLong();
		boolean chunked = length < 0 && (request.getHeader(HttpHeaders.TRANSFER_ENCODING) != null
				|| !request.getProtocol().startsWith("HTTP/1"));
		return length > 0 || chunked;
	}

	static boolean isBodyRead(ServletRequest request) {
		BodyTrackingRequest tracking = WebUtils.getNativeRequest(request, BodyTrackingRequest.class);
		return tracking != null && tracking.bodyRead;
	}

	@Override
	public ServletInputStream getInputStream() throws IOException {
		this.bodyRead = true;
		return super.getInputStream();
	}

	@Override
	public BufferedReader getReader() throws IOException {
		this.bodyRead = true;
		return super.getReader();
	}

	@Override
	public Collection<Part> getParts() throws IOException, ServletException {
		this.bodyRead = true;
		return super.getParts();
	}

	@Override
	public @Nullable Part getPart(String name) throws IOException, ServletException {
		this.bodyRead = true;
		return super.getPart(name);
	}

	@Override
	public @Nullable String getParameter(String name) {
		noteParameters();
		return super.getParameter(name);
	}

	@Override
	public Map<String, String[]> getParameterMap() {
		noteParameters();
		return super.getParameterMap();
	}

	@Override
	public Enumeration<String> getParameterNames() {
		noteParameters();
		return super.getParameterNames();
	}

	@Override
	public String @Nullable [] getParameterValues(String name) {
		noteParameters();
		return super.getParameterValues(name);
	}

	/** Parameters are in the body of a form or an upload. */
	private void noteParameters() {
		this.bodyRead |= ContentTypes.isForm(this) || ContentTypes.isMultipart(this);
	}

}
