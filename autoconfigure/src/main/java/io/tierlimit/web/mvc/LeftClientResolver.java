package io.tierlimit.web.mvc;

import io.tierlimit.web.RequestTabs;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * Notes that a client has gone, and resolves nothing: Spring MVC, or an exception handler
 * of the application, would keep that from the filters. Comes before them.
 */
public final class LeftClientResolver implements HandlerExceptionResolver, Ordered {

	private final RequestTabs tabs;

	/**
	 * Creates a resolver.
	 * @param tabs know the request
	 */
	public LeftClientResolver(RequestTabs tabs) {
		this.tabs = tabs;
	}

	@Override
	public int getOrder() {
		return HIGHEST_PRECEDENCE;
	}

	@Override
	public @Nullable ModelAndView resolveException(HttpServletRequest request, HttpServletResponse response,
			@Nullable Object handler, Exception ex) {
		this.tabs.noteIfClientLeft(request, ex);
		return null;
	}

}
