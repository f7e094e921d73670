package io.tierlimit.web.mvc;

import java.util.function.Supplier;

import io.tierlimit.web.ReachedRequests;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.jspecify.annotations.Nullable;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Asks for the last word before a handler of any mapping runs, and tells when it has.
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
		return this.requests.get()
			.admits(request, response, (handler instanceof HandlerMethod method) ? method.getMethod() : null);
	}

	@Override
	public void afterCompletion(HttpServletRequest request, HttpServletResponse response, Object handler,
			@Nullable Exception failure) {
		this.requests.get().served(request, failure);
	}

}
