package io.tierlimit.application;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.tierlimit.AppliesTo;
import io.tierlimit.RateLimited;
import io.tierlimit.RuleDefinition;
import io.tierlimit.Verdict;
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
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.authentication.configuration.AuthenticationConfiguration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.filter.UrlHandlerFilter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/**
 * Handlers whose requests end in every possible way, and logins by form and HTTP basic.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ EndingApplication.Handlers.class, EndingApplication.PickyHandlers.class, EndingApplication.Service.class })
class EndingApplication {

	/** Jetty loses a timeout that ends while Jetty registers it. */
	private static final long TIMEOUT_MILLIS = 100;

	@Bean
	RuleDefinition serviceRule() {
		return annotated("service");
	}

	@Bean
	RuleDefinition handlerRule() {
		return annotated("handler");
	}

	private static RuleDefinition annotated(String id) {
		return RuleDefinition.of(id)
			.appliesTo(AppliesTo.METHODS)
			.key("param('k')")
			.rate(1, Duration.ofDays(1))
			.burst(100)
			.charge("401")
			.resetOn("200");
	}

	@Bean
	SimulatedTicker ticker() {
		return new SimulatedTicker();
	}

	@Bean
	Gate gate() {
		return new Gate();
	}

	@Bean
	Published published() {
		return new Published();
	}

	@Bean
	Ends ends() {
		return new Ends();
	}

	/** Before all other filters, so that it sees the end of a request after Tierlimit. */
	@Bean
	FilterRegistrationBean<Ends> endsRegistration(Ends ends) {
		FilterRegistrationBean<Ends> registration = new FilterRegistrationBean<>(ends);
		registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
		registration.setDispatcherTypes(DispatcherType.REQUEST);
		registration.setAsyncSupported(true);
		return registration;
	}

	@Bean
	ServletRegistrationBean<TwoRounds> rounds() {
		ServletRegistrationBean<TwoRounds> registration = new ServletRegistrationBean<>(new TwoRounds(), "/rounds");
		registration.setAsyncSupported(true);
		return registration;
	}

	@Bean
	ServletRegistrationBean<Forwarding> forwarding() {
		return new ServletRegistrationBean<>(new Forwarding(), "/forwarding");
	}

	@Bean
	ServletRegistrationBean<Streaming> streaming(Gate gate) {
		ServletRegistrationBean<Streaming> registration = new ServletRegistrationBean<>(new Streaming(gate),
				"/leaving/servlet");
		registration.setAsyncSupported(true);
		return registration;
	}

	@Bean
	ServletRegistrationBean<Unfinished> unfinished() {
		ServletRegistrationBean<Unfinished> registration = new ServletRegistrationBean<>(new Unfinished(),
				"/unfinished");
		registration.setAsyncSupported(true);
		return registration;
	}

	/** Behind Tierlimit's filters. */
	@Bean
	FilterRegistrationBean<Moving> moving() {
		FilterRegistrationBean<Moving> registration = new FilterRegistrationBean<>(new Moving());
		registration.setOrder(0);
		registration.addUrlPatterns("/moved");
		return registration;
	}

	/**
	 * After Tierlimit's filters: removes a slash at the end of the path.
	 */
	@Bean
	FilterRegistrationBean<UrlHandlerFilter> slashes() {
		FilterRegistrationBean<UrlHandlerFilter> registration = new FilterRegistrationBean<>(
				UrlHandlerFilter.trailingSlashHandler("/slashed/**").wrapRequest().build());
		registration.setOrder(0);
		return registration;
	}

	/** Before Tierlimit's filters. */
	@Bean
	FilterRegistrationBean<Filter> early() {
		FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>((request, response, chain) -> request
			.getRequestDispatcher(((HttpServletRequest) request).getRequestURI().substring("/early".length()))
			.forward(request, response));
		registration.setOrder(Ordered.HIGHEST_PRECEDENCE + 1);
		registration.addUrlPatterns("/early/*");
		registration.setDispatcherTypes(DispatcherType.REQUEST);
		registration.setAsyncSupported(true);
		return registration;
	}

	/** Fails after the limiter's filters, when the response has been sent. */
	@Bean
	FilterRegistrationBean<Filter> failingLate() {
		FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>((request, response, chain) -> {
			chain.doFilter(request, response);
			response.flushBuffer();
			throw new IllegalStateException("on purpose");
		});
		registration.setOrder(0);
		registration.addUrlPatterns("/failing-late");
		return registration;
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
		return new InMemoryUserDetailsManager(User.withUsername("alice").password("{noop}secret").build(),
				User.withUsername("bob").password("{noop}secret").build(),
				User.withUsername("carol").password("{noop}secret").disabled(true).build(),
				User.withUsername("Erin").password("{noop}secret").build());
	}

	@Bean
	AuthenticationManager authenticationManager(AuthenticationConfiguration configuration) {
		return configuration.getAuthenticationManager();
	}

	private static void writeForEver(OutputStream output) throws IOException {
		byte[] block = new byte[10_000];
		while (true) {
			output.write(block);
			output.flush();
		}
	}

	/**
	 * Blocks requests until a test continues them.
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
	 * The paths of the requests of which listeners were notified.
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

		final AtomicInteger count = new AtomicInteger();

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

	/**
	 * Changes the target of a request.
	 */
	private static final class Moving implements Filter {

		@Override
		public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
				throws IOException, ServletException {
			chain.doFilter(new HttpServletRequestWrapper((HttpServletRequest) request) {

				@Override
				public String getRequestURI() {
					return "/status";
				}

				@Override
				public String getServletPath() {
					return "/status";
				}

			}, response);
		}

	}

	/**
	 * Sends the beginning of a response, and leaves the completion to the container.
	 */
	private static final class Unfinished extends HttpServlet {

		private static final long serialVersionUID = 1L;

		@Override
		protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
			request.startAsync().setTimeout(Long.parseLong(request.getParameter("timeout")));
			response.flushBuffer();
		}

	}

	/**
	 * Writes on another thread until that fails, and leaves the completion to the
	 * container. Jetty does not report the failure, so the timeout completes the request.
	 */
	private static final class Streaming extends HttpServlet {

		private static final long serialVersionUID = 1L;

		private final transient Gate gate;

		private Streaming(Gate gate) {
			this.gate = gate;
		}

		@Override
		protected void doGet(HttpServletRequest request, HttpServletResponse response) {
			request.startAsync();
			new Thread(() -> {
				this.gate.pass();
				try {
					writeForEver(response.getOutputStream());
				}
				catch (IOException ex) {
					// The container reports the error.
				}
			}).start();
		}

	}

	/**
	 * Forwards requests to another servlet.
	 */
	private static final class Forwarding extends HttpServlet {

		private static final long serialVersionUID = 1L;

		@Override
		protected void doGet(HttpServletRequest request, HttpServletResponse response)
				throws ServletException, IOException {
			request.getRequestDispatcher("/status").forward(request, response);
		}

	}

	/**
	 * Starts two asynchronous rounds.
	 */
	static final class TwoRounds extends HttpServlet {

		private static final long serialVersionUID = 1L;

		@Override
		protected void doGet(HttpServletRequest request, HttpServletResponse response) {
			AsyncContext round = request.startAsync();
			if (request.getDispatcherType() == DispatcherType.REQUEST) {
				round.dispatch();
			}
			else {
				response.setStatus(Integer.parseInt(request.getParameter("status")));
				round.complete();
			}
		}

	}

	static class Service {

		@RateLimited(value = "service", key = "#k")
		void serve(String k) {
		}

	}

	/**
	 * Failed logins, whose responses depend on the types that the client accepts.
	 */
	@RestController
	static class PickyHandlers {

		private static final ResponseEntity<Void> REDIRECT = ResponseEntity.status(302)
			.location(URI.create("/"))
			.build();

		@GetMapping("/picky/entity")
		ResponseEntity<Map<String, String>> entity() {
			return unauthorized();
		}

		@GetMapping("/picky/thrown")
		void thrown() {
			throw new BadCredentialsException("on purpose");
		}

		@GetMapping("/picky/deferred")
		DeferredResult<String> deferred() {
			DeferredResult<String> result = new DeferredResult<>();
			new Thread(() -> result.setErrorResult(new CompletionException(new BadCredentialsException("on purpose"))))
				.start();
			return result;
		}

		@GetMapping("/picky/failing")
		void failing() {
			throw new IllegalStateException("on purpose");
		}

		private static ResponseEntity<Map<String, String>> unauthorized() {
			return ResponseEntity.status(401).body(Map.of("error", "unauthorized"));
		}

		@ExceptionHandler({ HttpMediaTypeNotAcceptableException.class, BadCredentialsException.class,
				CompletionException.class })
		ResponseEntity<Void> redirect() {
			return REDIRECT;
		}

		@ExceptionHandler
		ResponseEntity<Map<String, String>> handle(IllegalStateException ex) {
			return unauthorized();
		}

	}

	@RestController
	static class Handlers {

		private final Gate gate;

		private final Service service;

		private final AuthenticationManager authentication;

		private volatile @Nullable RequestAttributes kept;

		Handlers(Gate gate, Service service, AuthenticationManager authentication) {
			this.gate = gate;
			this.service = service;
			this.authentication = authentication;
		}

		/** A request that matches the rule of the login, but is not a login. */
		@RequestMapping({ "/login/", "/signin/", "/{name:sign[a-z]+}" })
		ResponseEntity<Void> noLogin() {
			return ResponseEntity.noContent().build();
		}

		@PostMapping(path = { "/signin", "/slashed" }, consumes = MediaType.APPLICATION_FORM_URLENCODED_VALUE)
		ResponseEntity<Void> signIn(String username, String password) {
			try {
				this.authentication
					.authenticate(UsernamePasswordAuthenticationToken.unauthenticated(username, password));
				return ResponseEntity.noContent().build();
			}
			catch (AuthenticationException ex) {
				return ResponseEntity.status(401).build();
			}
		}

		@PostMapping("/elsewhere")
		DeferredResult<ResponseEntity<Void>> signInElsewhere(String username, String password) {
			return elsewhere(() -> signIn(username, password));
		}

		@PostMapping("/elsewhere/bound")
		DeferredResult<ResponseEntity<Void>> signInElsewhereWithTheRequest(String username, String password) {
			RequestAttributes attributes = RequestContextHolder.currentRequestAttributes();
			return elsewhere(() -> {
				RequestContextHolder.setRequestAttributes(attributes);
				// Another status, so that only the event reports the failure.
				return ResponseEntity.status(signIn(username, password).getStatusCode().isError() ? 400 : 204).build();
			});
		}

		@PostMapping("/callable/login")
		Callable<ResponseEntity<Void>> signInByCallable(String username, String password) {
			return () -> ResponseEntity.status(signIn(username, password).getStatusCode().isError() ? 400 : 204)
				.build();
		}

		@PostMapping("/kept")
		void keepRequest() {
			this.kept = RequestContextHolder.currentRequestAttributes();
		}

		/** A request that has ended. */
		RequestAttributes kept() {
			return Objects.requireNonNull(this.kept);
		}

		private static DeferredResult<ResponseEntity<Void>> elsewhere(Supplier<ResponseEntity<Void>> answer) {
			DeferredResult<ResponseEntity<Void>> result = new DeferredResult<>();
			new Thread(() -> result.setResult(answer.get())).start();
			return result;
		}

		@RequestMapping("/committed")
		void committed(int status, HttpServletResponse response) throws IOException {
			response.setStatus(status);
			response.flushBuffer();
			throw new IllegalStateException("on purpose");
		}

		@RequestMapping("/uncommitted")
		void uncommitted(int status, HttpServletResponse response) {
			response.setStatus(status);
			throw new IllegalStateException("on purpose");
		}

		@RequestMapping("/mine")
		String mine() {
			return "mine";
		}

		@RequestMapping({ "/status", "/failing-late", "/late/guess" })
		ResponseEntity<String> status(int status) {
			return ResponseEntity.status(status).body("done");
		}

		@PostMapping("/posted")
		ResponseEntity<String> posted(int status) {
			return status(status);
		}

		@RequestMapping("/error-page")
		void sendError(int status, HttpServletResponse response) throws IOException {
			response.sendError(status);
		}

		@RequestMapping({ "/gate", "/late" })
		ResponseEntity<String> gate(int status) {
			this.gate.pass();
			return status(status);
		}

		@RequestMapping("/callable")
		Callable<ResponseEntity<String>> callable(int status) {
			return () -> gate(status);
		}

		@RequestMapping("/deferred")
		DeferredResult<ResponseEntity<String>> deferred(int status) {
			DeferredResult<ResponseEntity<String>> result = new DeferredResult<>();
			new Thread(() -> result.setResult(gate(status))).start();
			return result;
		}

		@RequestMapping("/timeout")
		DeferredResult<String> timeout() {
			return new DeferredResult<>(TIMEOUT_MILLIS);
		}

		@RequestMapping("/exception")
		String exception() {
			throw new IllegalStateException("on purpose");
		}

		@RequestMapping("/io-exception")
		String ioException() throws IOException {
			throw new IOException("on purpose");
		}

		@RequestMapping("/callable/exception")
		Callable<String> callableException() {
			return this::exception;
		}

		@RequestMapping("/leaving")
		void leaving(HttpServletResponse response) throws IOException {
			this.gate.pass();
			writeForEver(response.getOutputStream());
		}

		@RequestMapping("/leaving/async")
		StreamingResponseBody leavingAsync() {
			return (output) -> {
				this.gate.pass();
				writeForEver(output);
			};
		}

		@RateLimited("handler")
		@RequestMapping("/annotated")
		ResponseEntity<String> annotated(int status) {
			return status(status);
		}

		@RequestMapping("/service")
		ResponseEntity<String> service(String k, int status) {
			this.service.serve(k);
			return status(status);
		}

		@RequestMapping("/service/callable")
		Callable<ResponseEntity<String>> serviceCallable(String k, int status) {
			return () -> service(k, status);
		}

	}

}
