package io.tierlimit.web.mvc;

import io.tierlimit.web.RequestRateLimiter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.core.Ordered;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * Records exceptions of handlers, and resolves none. Called before all other resolvers,
 * because an exception that is resolved never reaches the filters.
 *
 * @param limiter finds the exchange of the request
 */
public record HandlerFailureRecorder(RequestRateLimiter limiter) implements HandlerExceptionResolver, Ordered {

	@Override
	public int getOrder() {
		return HIGHEST_PRECEDENCE;
	}

	@Override
	public @Nullable ModelAndView resolveException(HttpServletRequest request, HttpServletResponse response,
			@Nullable Object handler, Exception ex) {
		this.limiter.recordFailureOfHandler(request, ex);
		return null;
	}

}
