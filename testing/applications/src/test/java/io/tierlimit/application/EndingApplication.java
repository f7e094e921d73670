package io.tierlimit.application;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.tierlimit.Verdict;
import io.tierlimit.application.SecuredApplication.CountingPasswordEncoder;
import io.tierlimit.junit.Poll;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.VerdictListener;
import io.tierlimit.store.SimulatedTicker;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequestWrapper;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.authentication.configuration.AuthenticationConfiguration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.filter.UrlHandlerFilter;

/**
 * Handlers whose requests end in every possible way, and logins by form and HTTP basic.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ SimulatedTicker.class, CountingPasswordEncoder.class, EndingHandlers.class, LoginHandlers.class,
		EndingApplication.Gate.class, EndingApplication.Published.class, EndingApplication.Ends.class })
class EndingApplication {

	/**
	 * Registered before all other filters, so that its request ends after Tierlimit has
	 * handled the end.
	 */
	@Bean
	FilterRegistrationBean<Ends> endsRegistration(Ends ends) {
		FilterRegistrationBean<Ends> registration = new FilterRegistrationBean<>(ends);
		registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
		return registration;
	}

	/** Starts two asynchronous rounds. */
	@Bean
	ServletRegistrationBean<HttpServlet> rounds() {
		return Registrations.servlet("/rounds", (request, response) -> {
			AsyncContext round = request.startAsync();
			if (request.getDispatcherType() == DispatcherType.REQUEST) {
				round.dispatch();
			}
			else {
				response.setStatus(Integer.parseInt(request.getParameter("status")));
				round.complete();
			}
		});
	}

	@Bean
	ServletRegistrationBean<HttpServlet> forwarding() {
		return Registrations.servlet("/forwarding",
				(request, response) -> request.getRequestDispatcher("/status").forward(request, response));
	}

	/**
	 * Writes on another thread until a write fails, and leaves the completion to the
	 * container. Jetty does not report the failure, so the timeout completes the request.
	 */
	@Bean
	ServletRegistrationBean<HttpServlet> streaming(Gate gate) {
		return Registrations.servlet("/leaving/servlet", (request, response) -> {
			request.startAsync();
			new Thread(() -> {
				gate.pass();
				try {
					writeForEver(response.getOutputStream());
				}
				catch (IOException ex) {
					// The container reports the error.
				}
			}).start();
		});
	}

	/** Sends the beginning of a response, and leaves the completion to the container. */
	@Bean
	ServletRegistrationBean<HttpServlet> unfinished() {
		return Registrations.servlet("/unfinished", (request, response) -> {
			request.startAsync().setTimeout(Long.parseLong(request.getParameter("timeout")));
			response.flushBuffer();
		});
	}

	/** Changes the target of a request after Tierlimit's filters. */
	@Bean
	FilterRegistrationBean<Filter> moving() {
		return Registrations.filter(0,
				(request, response, chain) -> chain.doFilter(new HttpServletRequestWrapper(request) {

					@Override
					public String getRequestURI() {
						return "/status";
					}

					@Override
					public String getServletPath() {
						return "/status";
					}

				}, response), "/moved");
	}

	/** Removes a slash at the end of the path after Tierlimit's filters. */
	@Bean
	FilterRegistrationBean<UrlHandlerFilter> slashes() {
		FilterRegistrationBean<UrlHandlerFilter> registration = new FilterRegistrationBean<>(
				UrlHandlerFilter.trailingSlashHandler("/slashed/**").wrapRequest().build());
		registration.setOrder(0);
		return registration;
	}

	/** Forwards a request before Tierlimit's filters. */
	@Bean
	FilterRegistrationBean<Filter> early() {
		return Registrations.filter(Ordered.HIGHEST_PRECEDENCE + 1,
				(request, response, chain) -> request
					.getRequestDispatcher(request.getRequestURI().substring("/early".length()))
					.forward(request, response),
				"/early/*");
	}

	/** Fails after the limiter's filters, when the response has been sent. */
	@Bean
	FilterRegistrationBean<Filter> failingLate() {
		return Registrations.filter(0, (request, response, chain) -> {
			chain.doFilter(request, response);
			response.flushBuffer();
			throw new IllegalStateException("on purpose");
		}, "/failing-late");
	}

	@Bean
	SecurityFilterChain security(HttpSecurity http) {
		return http.csrf(AbstractHttpConfigurer::disable)
			.authorizeHttpRequests(
					(requests) -> requests.requestMatchers("/mine").authenticated().anyRequest().permitAll())
			.formLogin(Customizer.withDefaults())
			.httpBasic(Customizer.withDefaults())
			.build();
	}

	@Bean
	UserDetailsService users() {
		return new InMemoryUserDetailsManager(User.withUsername("alice").password("secret").build(),
				User.withUsername("bob").password("secret").build(),
				User.withUsername("carol").password("secret").disabled(true).build(),
				User.withUsername("Erin").password("secret").build());
	}

	@Bean
	AuthenticationManager authenticationManager(AuthenticationConfiguration configuration) {
		return configuration.getAuthenticationManager();
	}

	static void writeForEver(OutputStream output) throws IOException {
		byte[] block = new byte[10_000];
		while (true) {
			output.write(block);
			output.flush();
		}
	}

	/**
	 * Blocks requests until a test releases them.
	 */
	static final class Gate {

		final AtomicInteger arrived = new AtomicInteger();

		private volatile CountDownLatch closed = new CountDownLatch(1);

		void close() {
			this.arrived.set(0);
			this.closed = new CountDownLatch(1);
		}

		void open() {
			this.closed.countDown();
		}

		void pass() {
			CountDownLatch gate = this.closed;
			this.arrived.incrementAndGet();
			try {
				if (!gate.await(60, TimeUnit.SECONDS)) {
					throw new IllegalStateException("The gate was not opened");
				}
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new IllegalStateException(ex);
			}
		}

	}

	/**
	 * Records the paths of the requests for which listeners were notified.
	 */
	static final class Published implements VerdictListener {

		final Set<String> paths = ConcurrentHashMap.newKeySet();

		@Override
		public void onVerdict(Verdict verdict, Caller caller) {
			this.paths.add(Objects.requireNonNullElse(caller.path(), ""));
		}

	}

	/**
	 * Counts the requests that have ended.
	 */
	static final class Ends implements Filter {

		private final AtomicInteger count = new AtomicInteger();

		int count() {
			return this.count.get();
		}

		void await(int expected) {
			Poll.until(() -> count() == expected, () -> "Ended are " + count() + " requests in place of " + expected);
		}

		/** Sends a request, and waits until the server has completed it. */
		<T> T after(Supplier<T> request) {
			int before = count();
			T sent = request.get();
			await(before + 1);
			return sent;
		}

		@Override
		public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
				throws IOException, ServletException {
			try {
				chain.doFilter(request, response);
			}
			finally {
				if (request.isAsyncStarted()) {
					request.getAsyncContext().addListener(new Completion(this.count));
				}
				else {
					this.count.incrementAndGet();
				}
			}
		}

	}

	/**
	 * Counts completed requests. A container may report a completion twice.
	 */
	private static final class Completion implements AsyncListener {

		private final AtomicInteger count;

		private final AtomicBoolean complete = new AtomicBoolean();

		private Completion(AtomicInteger count) {
			this.count = count;
		}

		@Override
		public void onComplete(AsyncEvent event) {
			if (this.complete.compareAndSet(false, true)) {
				this.count.incrementAndGet();
			}
		}

		@Override
		public void onTimeout(AsyncEvent event) {
		}

		@Override
		public void onError(AsyncEvent event) {
		}

		@Override
		public void onStartAsync(AsyncEvent event) {
			event.getAsyncContext().addListener(this);
		}

	}

}
