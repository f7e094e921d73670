package io.tierlimit.application;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;

/**
 * Counts its calls, and dispatches requests that ask for it.
 */
final class CountingFilter implements Filter {

	final AtomicInteger passed = new AtomicInteger();

	@Override
	public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		this.passed.incrementAndGet();
		if (((HttpServletRequest) request).getHeader("X-Dispatch") != null) {
			request.startAsync(request, response).dispatch();
			return;
		}
		chain.doFilter(request, response);
	}

}
