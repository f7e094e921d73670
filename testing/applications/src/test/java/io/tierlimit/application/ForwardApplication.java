package io.tierlimit.application;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.tierlimit.RateLimitExceededException;
import io.tierlimit.RateLimited;
import io.tierlimit.RuleDefinition;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.web.RateLimitFilter;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServlet;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Scope;
import org.springframework.core.Ordered;
import org.springframework.http.ResponseEntity;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.servlet.support.ServletUriComponentsBuilder;

/**
 * All components that may forward a request: filters before and after Tierlimit's, Spring
 * Security, a servlet and a handler.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ SimulatedTicker.class, SecuredApplication.CountingPasswordEncoder.class, ForwardApplication.Handlers.class,
		ForwardApplication.Scoped.class, ForwardApplication.Work.class, ForwardApplication.EarlyService.class,
		ForwardApplication.SlowEndpoint.class })
class ForwardApplication {

	@Bean
	SecurityFilterChain security(HttpSecurity http) {
		return http.csrf(AbstractHttpConfigurer::disable)
			.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll())
			.httpBasic(Customizer.withDefaults())
			.formLogin((login) -> login.failureForwardUrl("/view").successForwardUrl("/home"))
			.build();
	}

	@Bean
	RuleDefinition budget() {
		return RuleDefinition.of("budget").paths("/job/x", "/heavy").rate(1, Duration.ofDays(1)).burst(100);
	}

	@WebEndpoint(id = "slow")
	static class SlowEndpoint {

		@ReadOperation
		CompletableFuture<String> slow() {
			return CompletableFuture.supplyAsync(() -> "slow");
		}

	}

	@Bean
	UserDetailsService users() {
		return new InMemoryUserDetailsManager(User.withUsername("alice").password("secret").authorities("A").build());
	}

	/** Forwards or dispatches requests after its work. */
	@Bean
	ServletRegistrationBean<HttpServlet> working(Work work) {
		return Registrations.servlet("/job/*", (request, response) -> {
			work.done.incrementAndGet();
			if ("/async".equals(request.getPathInfo())) {
				request.startAsync().dispatch("/view");
			}
			else {
				String otherwise = "/plain".equals(request.getPathInfo()) ? "/plain" : "/view";
				String to = Objects.requireNonNullElse(request.getHeader("X-To"), otherwise);
				request.getRequestDispatcher(to).forward(request, response);
			}
		});
	}

	@Bean
	ServletRegistrationBean<HttpServlet> plain() {
		return Registrations.servlet("/plain", (request, response) -> response.getWriter().write("plain"));
	}

	@Bean
	FilterRegistrationBean<Filter> early(ObjectProvider<EarlyService> services) {
		return Registrations.filter(Ordered.HIGHEST_PRECEDENCE, (request, response, chain) -> {
			String to = Objects.requireNonNullElse(request.getHeader("X-To"), "/view");
			if (request.getHeader("X-Annotated-First") != null) {
				RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(request));
				services.getObject().call();
				RequestContextHolder.resetRequestAttributes();
			}
			switch (request.getRequestURI()) {
				case "/early" -> request.getRequestDispatcher(to).forward(request, response);
				case "/early-async" -> request.startAsync().dispatch(to);
				default -> chain.doFilter(request, response);
			}
		});
	}

	/** Forwards a request between both stages. */
	@Bean
	FilterRegistrationBean<Filter> between() {
		return Registrations.filter(RateLimitFilter.DEFAULT_ORDER + 1,
				(request, response, chain) -> request.getRequestDispatcher("/view").forward(request, response),
				"/between");
	}

	@Bean
	FilterRegistrationBean<Filter> overriding() {
		return Registrations.filter(Ordered.LOWEST_PRECEDENCE, (request, response, chain) -> {
			String method = request.getHeader("X-HTTP-Method-Override");
			chain.doFilter(Registrations.withMethod(request, method), response);
		});
	}

	/** Dispatches a request again, after Tierlimit's filters. */
	@Bean
	FilterRegistrationBean<Filter> again() {
		return Registrations.filter(Ordered.LOWEST_PRECEDENCE, (request, response, chain) -> {
			if (request.getHeader("X-Again") != null) {
				request.startAsync().dispatch();
			}
			else {
				chain.doFilter(request, response);
			}
		});
	}

	static class EarlyService {

		@RateLimited(name = "early", rate = "100/d")
		void call() {
		}

	}

	static final class Work {

		private final AtomicInteger done = new AtomicInteger();

		/**
		 * Returns the number of times that the servlet has done its work since the last
		 * call.
		 */
		int take() {
			return this.done.getAndSet(0);
		}

	}

	/** A bean that reads the user when it is created. */
	@RestController
	@Scope("request")
	static class Scoped {

		private final @Nullable Authentication user = SecurityContextHolder.getContext().getAuthentication();

		@GetMapping("/scoped")
		String scoped() {
			return (this.user != null) ? this.user.getName() : "anonymous";
		}

	}

	@Controller
	static class Handlers {

		@RequestMapping("/view")
		@ResponseBody
		String view() {
			return "view";
		}

		@RequestMapping("/later")
		@ResponseBody
		Callable<String> later() {
			return () -> "later";
		}

		@RateLimited(name = "document", key = "#id", rate = "1/d")
		@PostMapping("/documents/{id}")
		@ResponseBody
		String document(@PathVariable String id, @RequestBody(required = false) byte[] body) {
			return id;
		}

		@RateLimited(value = "budget", cost = "20")
		@RequestMapping("/heavy")
		@ResponseBody
		String heavy() {
			return "heavy";
		}

		@RequestMapping("/enter/{target}")
		String enter(@PathVariable String target) {
			return "forward:/" + target;
		}

		@RequestMapping("/home")
		@ResponseBody
		String home() {
			return "home";
		}

		@RateLimited(name = "login-page", rate = "9/d")
		@RequestMapping("/login")
		@ResponseBody
		String login() {
			return "login";
		}

		@DeleteMapping("/removal")
		String removal() {
			return "forward:/view";
		}

		@GetMapping("/{tenant}/{id}")
		@ResponseBody
		String any(@PathVariable String tenant, @PathVariable String id) {
			return tenant;
		}

		@PostMapping(path = "/form", params = "x")
		@ResponseBody
		String formWithX() {
			return "with x";
		}

		@PostMapping(path = "/form", params = "!x")
		@ResponseBody
		String formWithoutX() {
			return "without x";
		}

		@RateLimited(name = "upload", rate = "1/d")
		@PostMapping(path = "/upload", params = "!x")
		@ResponseBody
		String uploadWithoutX() {
			return "without x";
		}

		@PostMapping(path = "/upload", params = "x")
		@ResponseBody
		String uploadWithX() {
			return "with x";
		}

		@RateLimited(name = "inline", rate = "1/d")
		@GetMapping("/limited")
		@ResponseBody
		String limited() {
			return "limited";
		}

		@ExceptionHandler
		ResponseEntity<String> handle(RateLimitExceededException ex) {
			return ResponseEntity.status(429).body(ServletUriComponentsBuilder.fromCurrentRequest().build().toString());
		}

	}

}
