package io.tierlimit.application;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.tierlimit.RateLimited;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.web.RateLimitFilter;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpUpgradeHandler;
import jakarta.servlet.http.WebConnection;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Profile;
import org.springframework.core.env.Environment;
import org.springframework.http.HttpStatus;
import org.springframework.security.authentication.AuthenticationEventPublisher;
import org.springframework.security.authentication.ProviderManager;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.authentication.dao.DaoAuthenticationProvider;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.AuthenticationFilter;
import org.springframework.security.web.authentication.HttpStatusEntryPoint;
import org.springframework.security.web.authentication.www.BasicAuthenticationFilter;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.cors.UrlBasedCorsConfigurationSource;
import org.springframework.web.filter.CorsFilter;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.CorsRegistry;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * Allows cross-origin requests in three ways.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ SimulatedTicker.class, CorsApplication.Handlers.class })
class CorsApplication {

	@Bean
	@Profile("!passwords-first")
	SecurityFilterChain security(HttpSecurity http, Environment environment) {
		if (environment.matchesProfiles("mvc")) {
			http.cors(AbstractHttpConfigurer::disable);
		}
		else {
			http.cors(Customizer.withDefaults());
		}
		return http.csrf(AbstractHttpConfigurer::disable)
			.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll())
			.build();
	}

	/** Checks passwords before a preflight is answered. */
	@Bean
	@Profile("passwords-first")
	SecurityFilterChain passwordsFirst(HttpSecurity http, UserDetailsService users,
			AuthenticationEventPublisher events) {
		ProviderManager manager = new ProviderManager(new DaoAuthenticationProvider(users));
		manager.setAuthenticationEventPublisher(events);
		AuthenticationFilter byHeader = new AuthenticationFilter(manager, (request) -> {
			String password = request.getHeader("X-Password");
			return (password != null) ? UsernamePasswordAuthenticationToken.unauthenticated("alice", password) : null;
		});
		byHeader.setSuccessHandler((request, response, authentication) -> {
		});
		return http.csrf(AbstractHttpConfigurer::disable)
			.cors(Customizer.withDefaults())
			.addFilterBefore(new BasicAuthenticationFilter(manager, new HttpStatusEntryPoint(HttpStatus.UNAUTHORIZED)),
					CorsFilter.class)
			.addFilterBefore(byHeader, CorsFilter.class)
			.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll())
			.build();
	}

	@Bean
	UserDetailsService users() {
		return new InMemoryUserDetailsManager(
				User.withUsername("alice").password("{noop}secret").authorities("A").build());
	}

	@Bean
	@Profile("originless")
	FilterRegistrationBean<Filter> originless() {
		return Registrations.filter(RateLimitFilter.DEFAULT_ORDER + 1,
				(request, response, chain) -> chain.doFilter(new HttpServletRequestWrapper(request) {

					@Override
					public String getHeader(String name) {
						return name.equalsIgnoreCase("Origin") ? null : super.getHeader(name);
					}

				}, response));
	}

	@Bean
	ServletRegistrationBean<HttpServlet> servlet() {
		return Registrations.servlet("/servlet/*", (request, response) -> response.setHeader("X-Reached", "servlet"));
	}

	/**
	 * Switches protocols like the handshake of a WebSocket, and closes the connection.
	 */
	@Bean
	ServletRegistrationBean<HttpServlet> upgrading() {
		return Registrations.servlet("/upgrade", (request, response) -> {
			response.setHeader("Connection", "Upgrade");
			response.setHeader("Upgrade", "echo");
			request.upgrade(Goodbye.class);
		});
	}

	@Bean
	CorsConfigurationSource corsConfigurationSource() {
		CorsConfiguration configuration = new CorsConfiguration();
		configuration.setAllowedOrigins(List.of("https://bean.example"));
		configuration.setAllowedMethods(List.of("GET", "POST"));
		configuration.setExposedHeaders(List.of("X-Own"));
		UrlBasedCorsConfigurationSource source = new UrlBasedCorsConfigurationSource();
		source.registerCorsConfiguration("/by-bean/**", configuration);
		return source;
	}

	@Bean
	WebMvcConfigurer mappings() {
		return new WebMvcConfigurer() {

			@Override
			public void addCorsMappings(CorsRegistry registry) {
				registry.addMapping("/by-mapping/**").allowedOrigins("https://mapping.example").allowCredentials(true);
			}

			@Override
			public void addInterceptors(InterceptorRegistry registry) {
				registry.addInterceptor(new ApiKeys());
			}

		};
	}

	/** Checks the key of a request, if there is one, even for preflights. */
	static final class ApiKeys implements HandlerInterceptor {

		@Override
		public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
			String key = request.getHeader("X-Api-Key");
			boolean right = key == null || key.equals("right");
			response.setStatus(right ? 200 : 401);
			return right;
		}

	}

	public static final class Goodbye implements HttpUpgradeHandler {

		@Override
		public void init(WebConnection connection) {
			try (connection) {
				connection.getOutputStream().flush();
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}

		@Override
		public void destroy() {
		}

	}

	@RestController
	static class Handlers {

		@GetMapping("/events")
		SseEmitter events() {
			SseEmitter emitter = new SseEmitter();
			new Thread(() -> {
				try {
					for (int i = 0; i < 3; i++) {
						emitter.send(String.valueOf(i));
					}
					emitter.complete();
				}
				catch (IOException ex) {
					emitter.completeWithError(ex);
				}
			}).start();
			return emitter;
		}

		private final AtomicInteger uploads = new AtomicInteger();

		int uploads() {
			return this.uploads.get();
		}

		@GetMapping({ "/by-bean/data", "/by-mapping/data", "/same-origin/data" })
		String data() {
			return "data";
		}

		@CrossOrigin("https://annotation.example")
		@GetMapping("/by-annotation/data")
		String annotated() {
			return "data";
		}

		@CrossOrigin("https://annotation.example")
		@RateLimited(name = "inline", rate = "1/d")
		@GetMapping("/by-annotation/limited")
		String limited() {
			return "data";
		}

		@PostMapping("/upload")
		int upload(@RequestBody byte[] body) {
			this.uploads.incrementAndGet();
			return body.length;
		}

	}

}
