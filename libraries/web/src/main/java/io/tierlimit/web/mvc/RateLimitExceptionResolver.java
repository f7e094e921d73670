package io.tierlimit.web.mvc;

import io.tierlimit.RateLimitExceededException;
import io.tierlimit.Verdict;
import io.tierlimit.web.RateLimitResponses;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.Ordered;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * Writes the same response for a {@link RateLimitExceededException} as the filter. Called
 * after the application's exception handlers.
 *
 * @param responses writes the response
 */
public record RateLimitExceptionResolver(RateLimitResponses responses) implements HandlerExceptionResolver, Ordered {

	private static final Log logger = LogFactory.getLog(RateLimitExceptionResolver.class);

	@Override
	public int getOrder() {
		return LOWEST_PRECEDENCE;
	}

	@Override
	public @Nullable ModelAndView resolveException(HttpServletRequest request, HttpServletResponse response,
			@Nullable Object handler, Exception ex) {
		Verdict verdict = (ex instanceof RateLimitExceededException exceeded) ? exceeded.verdict() : null;
		if (verdict == null || response.isCommitted()) {
			return null;
		}
		try {
			this.responses.replace(verdict, request, response);
			return new ModelAndView();
		}
		catch (Exception failure) {
			logger.debug("Cannot write the response to a rejected request", failure);
			return null;
		}
	}

}
