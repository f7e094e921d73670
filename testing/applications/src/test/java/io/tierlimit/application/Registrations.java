package io.tierlimit.application;

import java.io.IOException;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.web.HttpRequestHandler;

/**
 * Registers filters and servlets that are written as lambda expressions.
 */
final class Registrations {

	private Registrations() {
	}

	/** Registers a filter for all requests, or for requests with a path. */
	static FilterRegistrationBean<Filter> filter(int order, HttpFilter filter, String... paths) {
		FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>((request, response, chain) -> filter
			.filter((HttpServletRequest) request, (HttpServletResponse) response, chain));
		registration.setOrder(order);
		registration.addUrlPatterns(paths);
		return registration;
	}

	static ServletRegistrationBean<HttpServlet> servlet(String path, HttpRequestHandler handler) {
		return new ServletRegistrationBean<>(new HandlerServlet(handler), path);
	}

	/** A request with another method, unless the method is null. */
	static HttpServletRequest withMethod(HttpServletRequest request, @Nullable String method) {
		return (method == null) ? request : new HttpServletRequestWrapper(request) {

			@Override
			public String getMethod() {
				return method;
			}

		};
	}

	/** A filter of HTTP requests. */
	interface HttpFilter {

		void filter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws IOException, ServletException;

	}

	private static final class HandlerServlet extends HttpServlet {

		private static final long serialVersionUID = 1L;

		private final transient HttpRequestHandler handler;

		private HandlerServlet(HttpRequestHandler handler) {
			this.handler = handler;
		}

		@Override
		protected void service(HttpServletRequest request, HttpServletResponse response)
				throws ServletException, IOException {
			this.handler.handleRequest(request, response);
		}

	}

}
