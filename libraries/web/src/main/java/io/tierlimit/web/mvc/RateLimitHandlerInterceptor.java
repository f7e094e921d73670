package io.tierlimit.web.mvc;

import java.util.function.Supplier;

import io.tierlimit.web.RequestRateLimiter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Checks a request before a handler of any mapping runs: if the request has changed since
 * it was evaluated, it is evaluated again. Then its charges are committed.
 */
public final class RateLimitHandlerInterceptor implements HandlerInterceptor {

	private final Supplier<RequestRateLimiter> limiter;

	/**
	 * Creates an interceptor.
	 * @param limiter checks requests; looked up at the first request
	 */
	public RateLimitHandlerInterceptor(Supplier<RequestRateLimiter> limiter) {
		this.limiter = limiter;
	}

	@Override
	public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
			throws Exception {
		return this.limiter.get().allowsHandler(request, response, handler);
	}

}
