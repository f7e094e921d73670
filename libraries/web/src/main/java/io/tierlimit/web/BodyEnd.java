package io.tierlimit.web;

import java.io.IOException;
import java.lang.reflect.Method;

import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;

/**
 * Finds whether the body of a request has ended without a byte. Never waits for the end:
 * a client that does not send it would occupy the thread.
 * <p>
 * Tomcat reports the end itself, and that the trailer, which follows the body, has not
 * arrived. Jetty reports the end only to a reader, and the trailer as always present. Its
 * stream has a method of its own: {@code hasContent} reports whether a read would return
 * at once. The servlet API has no such method for requests that are not asynchronous.
 */
final class BodyEnd {

	private static final String HAS_CONTENT = "hasContent";

	private BodyEnd() {
	}

	/**
	 * Whether the end has arrived, and no byte before it. A byte that is read is missing
	 * afterwards.
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
			// Receives what has arrived: hasContent does not.
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
