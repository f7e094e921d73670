package io.tierlimit.web.mvc;

import java.util.function.Supplier;

import io.tierlimit.web.ReachedRequests;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Asks for the last word before a handler of any mapping runs.
 */
public final class ReachedRequestInterceptor implements HandlerInterceptor {

	private final Supplier<ReachedRequests> requests;

	/**
	 * Creates an interceptor.
	 * @param requests has the last word; asked for when a request comes
	 */
	public ReachedRequestInterceptor(Supplier<ReachedRequests> requests) {
		this.requests = requests;
	}

	@Override
	public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
			throws Exception {
		return this.requests.get().admits(request, response, handler);
	}

}
