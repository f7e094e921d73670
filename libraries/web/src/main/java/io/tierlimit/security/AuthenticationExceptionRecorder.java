package io.tierlimit.security;

import java.util.function.Supplier;

import io.tierlimit.evaluation.CurrentRequest;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.core.Ordered;
import org.springframework.security.authentication.AuthenticationCredentialsNotFoundException;
import org.springframework.security.authentication.InsufficientAuthenticationException;
import org.springframework.security.core.AuthenticationException;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * Records a failed authentication if a handler throws an {@link AuthenticationException}.
 * This covers failures without an event: the authentication manager may lack an event
 * publisher, or a handler may check passwords itself. The recorder resolves no
 * exceptions, and is called before all other resolvers.
 *
 * @param request supplies the request that records the failure; {@code null} if the
 * application serves no requests
 */
public record AuthenticationExceptionRecorder(
		Supplier<@Nullable CurrentRequest> request) implements HandlerExceptionResolver, Ordered {

	/** Ends the search if causes form a cycle. */
	private static final int MAX_CAUSES = 20;

	@Override
	public int getOrder() {
		return HIGHEST_PRECEDENCE;
	}

	@Override
	public @Nullable ModelAndView resolveException(HttpServletRequest request, HttpServletResponse response,
			@Nullable Object handler, Exception ex) {
		CurrentRequest current = this.request.get();
		if (current != null && isFailedAuthentication(ex)) {
			current.recordFailedAuthentication();
		}
		return null;
	}

	/**
	 * Whether a cause is a failed authentication. A request without credentials has not
	 * failed to authenticate.
	 */
	private static boolean isFailedAuthentication(@Nullable Throwable failure) {
		Throwable cause = failure;
		for (int i = 0; i < MAX_CAUSES && cause != null; i++) {
			if (cause instanceof AuthenticationException) {
				return !(cause instanceof InsufficientAuthenticationException
						|| cause instanceof AuthenticationCredentialsNotFoundException);
			}
			cause = cause.getCause();
		}
		return false;
	}

}
