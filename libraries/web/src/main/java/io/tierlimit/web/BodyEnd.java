package io.tierlimit.web;

import java.io.IOException;
import java.lang.reflect.Method;

import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;

/**
 * Determines whether the body of a request has ended without a byte. Never waits for the
 * end: a client that does not send the end would occupy the thread.
 * <p>
 * Tomcat reports the end of the body, and whether the trailer, which follows the body,
 * has arrived. Jetty reports the end only after a read, and always reports the trailer as
 * present. Jetty's stream has a method {@code hasContent}, which reports whether a read
 * would return at once. The servlet API has no such method for requests that are not
 * asynchronous.
 */
final class BodyEnd {

	private static final String HAS_CONTENT = "hasContent";

	private BodyEnd() {
	}

	/**
	 * Whether the end has arrived without a byte before it. If there is a byte, this
	 * method may consume it.
	 */
	static boolean isReached(HttpServletRequest request) throws IOException {
		ServletInputStream body = request.getInputStream();
		return body.isFinished() || (request.isTrailerFieldsReady() && !isWaiting(request) && body.read() < 0);
	}

	/** Whether a read would wait, as far as the container reports. */
	private static boolean isWaiting(HttpServletRequest request) throws IOException {
		ServletInputStream body = unwrap(request).getInputStream();
		try {
			Method hasContent = body.getClass().getMethod(HAS_CONTENT);
			// Receives the bytes that have arrived: hasContent does not receive them.
			boolean arrived = body.available() > 0;
			return !arrived && !Boolean.TRUE.equals(hasContent.invoke(body));
		}
		catch (NoSuchMethodException ex) {
			return false;
		}
		catch (ReflectiveOperationException ex) {
			return true;
		}
	}

	private static ServletRequest unwrap(ServletRequest request) {
		ServletRequest unwrapped = request;
		while (unwrapped instanceof ServletRequestWrapper wrapper) {
			unwrapped = wrapper.getRequest();
		}
		return unwrapped;
	}

}
