package io.tierlimit.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.jspecify.annotations.Nullable;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * Lets whatever runs on this thread find the request and its locale: resolvers of the
 * application do, and exception handlers. Spring's own filter comes later.
 */
final class BoundRequest {

	private final @Nullable ServletRequestAttributes attributes;

	BoundRequest(HttpServletRequest request, HttpServletResponse response) {
		boolean bound = RequestContextHolder.getRequestAttributes() != null;
		this.attributes = bound ? null : new ServletRequestAttributes(request, response);
		if (this.attributes != null) {
			RequestContextHolder.setRequestAttributes(this.attributes);
			LocaleContextHolder.setLocale(request.getLocale());
		}
	}

	void close() {
		if (this.attributes != null) {
			RequestContextHolder.resetRequestAttributes();
			LocaleContextHolder.resetLocaleContext();
			this.attributes.requestCompleted();
		}
	}

}
