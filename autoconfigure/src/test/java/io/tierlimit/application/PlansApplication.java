package io.tierlimit.application;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSessionEvent;
import jakarta.servlet.http.HttpSessionListener;

import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletListenerRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * An application whose code sets the plan of a request, or of a session.
 */
@Configuration(proxyBeanMethods = false)
@Import({ TestApplication.class, PlansApplication.Checkout.class })
class PlansApplication {

	@Bean
	FilterRegistrationBean<OncePerRequestFilter> planOfKey() {
		FilterRegistrationBean<OncePerRequestFilter> registration = new FilterRegistrationBean<>(
				new OncePerRequestFilter() {

					@Override
					protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response,
							FilterChain chain) throws ServletException, IOException {
						if ("key-of-paula".equals(request.getHeader("X-Api-Key"))) {
							request.setAttribute("plan", "pro");
						}
						chain.doFilter(request, response);
					}

				});
		registration.setOrder(-200);
		return registration;
	}

	@Bean
	Sessions sessions() {
		return new Sessions();
	}

	@Bean
	ServletListenerRegistrationBean<Sessions> sessionListener(Sessions sessions) {
		return new ServletListenerRegistrationBean<>(sessions);
	}

	/**
	 * Counts the sessions that are created.
	 */
	static final class Sessions implements HttpSessionListener {

		final AtomicInteger created = new AtomicInteger();

		@Override
		public void sessionCreated(HttpSessionEvent event) {
			this.created.incrementAndGet();
		}

	}

	@RestController
	static final class Checkout {

		@PostMapping("/subscribe")
		void subscribe(@RequestParam String plan, HttpServletRequest request) {
			request.getSession().setAttribute("plan", plan);
		}

		@PostMapping("/unsubscribe")
		void unsubscribe(HttpServletRequest request) {
			request.getSession().invalidate();
		}

	}

}
