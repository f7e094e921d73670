package io.tierlimit.web.mvc;

import io.tierlimit.web.ReachedRequests;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Asks for the last word before a handler of any mapping runs.
 */
public final class ReachedRequestInterceptor implements HandlerInterceptor {

	private final ReachedRequests requests;

	/**
	 * Creates an interceptor.
	 * @param requests has the last word
	 */
	public ReachedRequestInterceptor(ReachedRequests requests) {
		this.requests = requests;
	}

	@Override
	public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
			throws Exception {
		return this.requests.admits(request, response);
	}

}
