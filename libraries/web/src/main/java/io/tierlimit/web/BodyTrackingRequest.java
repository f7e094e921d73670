package io.tierlimit.web;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.Collection;
import java.util.Enumeration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.Part;
import org.jspecify.annotations.Nullable;

import org.springframework.web.util.WebUtils;

/**
 * A request that records whether its body is read. Once the body is read, a rejection no
 * longer refunds the charges of the request, because uploads would be free otherwise.
 * <p>
 * In HTTP/2, a request may have a body even if no header shows its length. Only the end
 * of the stream shows that there is no body, and some containers report the end only
 * after a read.
 */
final class BodyTrackingRequest extends HttpServletRequestWrapper {

	private static final String ATTRIBUTE = BodyTrackingRequest.class.getName();

	private static final Set<String> FORM_CONTENT = Set.of("PUT", "PATCH", "DELETE");

	private final AtomicBoolean bodyRead;

	private BodyTrackingRequest(HttpServletRequest request, AtomicBoolean bodyRead) {
		super(request);
		this.bodyRead = bodyRead;
	}

	/**
	 * Returns the request itself if it has no body or is already tracked. An asynchronous
	 * request may be dispatched without the wrappers of filters, so the flag is a request
	 * attribute.
	 */
	static HttpServletRequest of(HttpServletRequest request) {
		if (!ContentTypes.mayHaveBody(request)
				|| WebUtils.getNativeRequest(request, BodyTrackingRequest.class) != null) {
			return request;
		}
		AtomicBoolean known = (AtomicBoolean) request.getAttribute(ATTRIBUTE);
		AtomicBoolean bodyRead = (known != null) ? known : new AtomicBoolean(isReadBySpring(request));
		request.setAttribute(ATTRIBUTE, bodyRead);
		return new BodyTrackingRequest(request, bodyRead);
	}

	/**
	 * Whether Spring Boot's {@code FormContentFilter} has already read the form.
	 */
	private static boolean isReadBySpring(HttpServletRequest request) {
		return ContentTypes.isForm(request) && FORM_CONTENT.contains(request.getMethod());
	}

	static boolean isBodyRead(ServletRequest request) {
		return request.getAttribute(ATTRIBUTE) instanceof AtomicBoolean bodyRead && bodyRead.get();
	}

	/**
	 * Whether a request has no body, as far as its container reports now. Called only at
	 * the end of a request, because the check may consume a byte.
	 */
	static boolean hasNoBody(HttpServletRequest request) {
		if (!ContentTypes.mayHaveBody(request)) {
			return true;
		}
		if (ContentTypes.announcesBody(request) || isBodyRead(request)) {
			return false;
		}
		try {
			return BodyEnd.isReached(request);
		}
		catch (IOException | RuntimeException ex) {
			return false;
		}
	}

	@Override
	public ServletInputStream getInputStream() throws IOException {
		if (!ContentTypes.announcesBody(this)) {
			// Until a byte is read, it is unknown whether there is a body.
			return new ReportingBody(super.getInputStream(), (count) -> this.bodyRead.set(true));
		}
		this.bodyRead.set(true);
		return super.getInputStream();
	}

	@Override
	public BufferedReader getReader() throws IOException {
		this.bodyRead.set(true);
		return super.getReader();
	}

	@Override
	public Collection<Part> getParts() throws IOException, ServletException {
		this.bodyRead.set(true);
		return super.getParts();
	}

	@Override
	public @Nullable Part getPart(String name) throws IOException, ServletException {
		this.bodyRead.set(true);
		return super.getPart(name);
	}

	@Override
	public @Nullable String getParameter(String name) {
		recordParameters();
		return super.getParameter(name);
	}

	@Override
	public Map<String, String[]> getParameterMap() {
		recordParameters();
		return super.getParameterMap();
	}

	@Override
	public Enumeration<String> getParameterNames() {
		recordParameters();
		return super.getParameterNames();
	}

	@Override
	public String @Nullable [] getParameterValues(String name) {
		recordParameters();
		return super.getParameterValues(name);
	}

	/**
	 * Records that the body is read if it contains the parameters, as in a form or an
	 * upload.
	 */
	private void recordParameters() {
		if (ContentTypes.isForm(this) || ContentTypes.isMultipart(this)) {
			this.bodyRead.set(true);
		}
	}

}
