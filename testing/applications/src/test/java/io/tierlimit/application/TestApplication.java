package io.tierlimit.application;

import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.spi.KeyResolver;
import io.tierlimit.store.SimulatedTicker;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.firewall.FirewalledRequest;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * An application with one handler of every kind.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ SimulatedTicker.class, TestApplication.Handlers.class, TestApplication.OpenFirewall.class,
		SecuredApplication.CountingPasswordEncoder.class })
class TestApplication {

	@Bean
	KeyResolver tenant() {
		return (caller) -> caller.header("X-Tenant");
	}

	@Bean
	SecurityFilterChain security(HttpSecurity http) {
		return http.csrf(AbstractHttpConfigurer::disable)
			.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll())
			.httpBasic(Customizer.withDefaults())
			.build();
	}

	@Bean
	UserDetailsService users() {
		return new InMemoryUserDetailsManager(User.withUsername("alice").password("secret").authorities("A").build(),
				User.withUsername("bob").password("secret").authorities("A", "PLAN_pro").build());
	}

	@Bean
	RouterFunction<ServerResponse> functional() {
		return RouterFunctions.route().GET("/functional/{id}", (request) -> ServerResponse.ok().body("ok")).build();
	}

	@Bean
	ServletRegistrationBean<HttpServlet> plain(RateLimiter limiter) {
		return Registrations.servlet("/plain/*", (request, response) -> {
			if ("/forward".equals(request.getPathInfo())) {
				request.getRequestDispatcher("/any").include(request, response);
				request.getRequestDispatcher("/any").forward(request, response);
			}
			else {
				if ("/program".equals(request.getPathInfo())) {
					limiter.acquire(PermitRequest.of("program"));
				}
				response.getWriter().write("plain");
			}
		});
	}

	/**
	 * Allows every spelling of a path, like an application without Spring Security.
	 */
	static final class OpenFirewall implements HttpFirewall {

		@Override
		public FirewalledRequest getFirewalledRequest(HttpServletRequest request) {
			return new FirewalledRequest(request) {

				@Override
				public void reset() {
				}

			};
		}

		@Override
		public HttpServletResponse getFirewalledResponse(HttpServletResponse response) {
			return response;
		}

	}

	@RestController
	static final class Handlers {

		final AtomicInteger calls = new AtomicInteger();

		private final RateLimiter limiter;

		Handlers(RateLimiter limiter) {
			this.limiter = limiter;
		}

		@GetMapping("/program")
		String program() {
			this.limiter.acquire(PermitRequest.of("program"));
			return "ok";
		}

		@GetMapping("/program/async")
		Callable<String> programAsync() {
			return this::program;
		}

		@GetMapping("/orders/{id}")
		String order(@PathVariable String id) {
			this.calls.incrementAndGet();
			return id;
		}

		@RequestMapping(path = "/several", method = { RequestMethod.PUT, RequestMethod.GET })
		String several() {
			return "ok";
		}

		@RequestMapping("/any")
		String any() {
			return "ok";
		}

		@GetMapping("/async")
		Callable<String> async() {
			return () -> "later";
		}

		@GetMapping("/failing")
		String failing() {
			throw new IllegalStateException("on purpose");
		}

		@PostMapping("/form")
		String form(@RequestParam String n) {
			return n;
		}

	}

}
