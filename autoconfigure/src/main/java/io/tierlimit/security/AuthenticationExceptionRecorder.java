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
 * Records a failed authentication if a handler throws an {@link AuthenticationException},
 * and resolves nothing. An authentication manager without an event publisher and a
 * handler that checks passwords by itself publish no event. Comes before all other
 * resolvers.
 */
public final class AuthenticationExceptionRecorder implements HandlerExceptionResolver, Ordered {

	/** Ends the search where causes form a circle. */
	private static final int MAX_CAUSES = 20;

	private final Supplier<@Nullable CurrentRequest> request;

	/**
	 * Creates a recorder.
	 * @param request records it; {@code null} where there are no requests
	 */
	public AuthenticationExceptionRecorder(Supplier<@Nullable CurrentRequest> request) {
		this.request = request;
	}

	@Override
	public int getOrder() {
		return HIGHEST_PRECEDENCE;
	}

	@Override
	public @Nullable ModelAndView resolveException(HttpServletRequest request, HttpServletResponse response,
			@Nullable Object handler, Exception ex) {
		CurrentRequest known = this.request.get();
		if (known != null && isFailedAuthentication(ex)) {
			known.recordFailedAuthentication();
		}
		return null;
	}

	/** A caller without credentials has not failed to authenticate. */
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
