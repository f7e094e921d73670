package io.tierlimit.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * Lets whatever runs on this thread find the request. Where Spring MVC is, it has done so
 * already.
 */
final class BoundRequest {

	private final @Nullable ServletRequestAttributes attributes;

	BoundRequest(HttpServletRequest request, HttpServletResponse response) {
		boolean bound = RequestContextHolder.getRequestAttributes() != null;
		this.attributes = bound ? null : new ServletRequestAttributes(request, response);
		if (this.attributes != null) {
			RequestContextHolder.setRequestAttributes(this.attributes);
		}
	}

	void close() {
		if (this.attributes != null) {
			RequestContextHolder.resetRequestAttributes();
			this.attributes.requestCompleted();
		}
	}

}
