package io.tierlimit.application;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;

import io.tierlimit.EstimatedCost;
import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.application.EndingApplication.Gate;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;

/**
 * The handlers of {@link HoldingApplication}, whose requests report the costs that their
 * parameters contain: {@code tokens} in a header of the response, {@code used} in an
 * attribute, {@code metered} and {@code settled} in code.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ HoldingApplication.class, SettlingApplication.Handlers.class })
class SettlingApplication {

	static final String TOKENS = "X-Tokens";

	/** Reports costs after Tierlimit's filters, before the handler runs. */
	@Bean
	FilterRegistrationBean<Filter> costs(RateLimiter limiter) {
		FilterRegistrationBean<Filter> registration = Registrations.filter(Ordered.LOWEST_PRECEDENCE,
				(request, response, chain) -> {
					report(request, "tokens", (tokens) -> response.setHeader(TOKENS, String.valueOf(tokens)));
					report(request, "used", (used) -> request.setAttribute("used", used));
					report(request, "metered", (total) -> limiter.estimatedCost("metered").meter(total));
					report(request, "settled", (actual) -> limiter.estimatedCost("metered").settle(actual));
					chain.doFilter(request, response);
				});
		registration.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.FORWARD);
		return registration;
	}

	private static void report(HttpServletRequest request, String parameter, LongConsumer consumer) {
		String value = request.getParameter(parameter);
		if (value != null) {
			consumer.accept(Long.parseLong(value));
		}
	}

	@RestController
	static class Handlers {

		private final RateLimiter limiter;

		private final Gate gate;

		/** Whether a cost was settled after the end of the last request. */
		private volatile CompletableFuture<Boolean> late = new CompletableFuture<>();

		Handlers(RateLimiter limiter, Gate gate) {
			this.limiter = limiter;
			this.gate = gate;
		}

		/**
		 * Reports a cost on another thread before the response, and then other costs
		 * before and after it.
		 */
		@RequestMapping("/reporting")
		DeferredResult<String> report(long actual) {
			EstimatedCost cost = this.limiter.estimatedCost("metered");
			DeferredResult<String> result = new DeferredResult<>();
			CompletableFuture<Boolean> after = new CompletableFuture<>();
			this.late = after;
			new Thread(() -> {
				cost.settle(actual);
				cost.settle(90);
				result.setResult("done");
				this.gate.pass();
				cost.meter(90);
				after.complete(cost.settle(90));
			}).start();
			return result;
		}

		/** Writes one character of three bytes. */
		@RequestMapping("/text")
		void write(HttpServletResponse response) throws IOException {
			response.setCharacterEncoding("UTF-8");
			response.getWriter().print("\u20ac");
		}

		/** Calls a service whose limit never allows the call. */
		@RequestMapping("/limited")
		void callLimitedService() {
			this.limiter.acquire(PermitRequest.of("service").cost(2));
		}

		/** Ignores that the client has disconnected. */
		@RequestMapping("/leaving/quietly")
		void leaveQuietly(HttpServletResponse response) throws IOException {
			this.gate.pass();
			try {
				EndingApplication.writeForEver(response.getOutputStream());
			}
			catch (IOException ex) {
				// A handler may ignore that the client has disconnected.
			}
		}

		boolean isSettledLate() {
			return this.late.join();
		}

	}

}
