package io.tierlimit.recipes;

import java.io.IOException;
import java.security.Principal;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;

import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.filter.OncePerRequestFilter;

@Configuration(proxyBeanMethods = false)
class SessionUsers {

	@Bean
	FilterRegistrationBean<SessionUserFilter> sessionUserFilter() {
		FilterRegistrationBean<SessionUserFilter> registration = new FilterRegistrationBean<>(new SessionUserFilter());
		registration.setOrder(-110); // before Tierlimit: the default of
										// tierlimit.web.order is -103
		return registration;
	}

	/**
	 * The user is an attribute of the session, which the login of the application sets.
	 */
	static final class SessionUserFilter extends OncePerRequestFilter {

		@Override
		protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws ServletException, IOException {
			HttpSession session = request.getSession(false);
			if (session != null && session.getAttribute("user") instanceof String user) {
				chain.doFilter(new HttpServletRequestWrapper(request) {

					@Override
					public Principal getUserPrincipal() {
						return () -> user;
					}

				}, response);
			}
			else {
				chain.doFilter(request, response);
			}
		}

	}

}
