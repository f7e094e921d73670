package io.tierlimit.application;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;

/**
 * Counts how often it is passed.
 */
final class CountingFilter implements Filter {

	final AtomicInteger passed = new AtomicInteger();

	@Override
	public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		this.passed.incrementAndGet();
		chain.doFilter(request, response);
	}

}
