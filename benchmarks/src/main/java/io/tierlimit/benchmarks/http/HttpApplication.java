package io.tierlimit.benchmarks.http;

import java.io.IOException;
import java.time.Duration;

import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import io.tierlimit.benchmarks.memory.Peers;
import io.tierlimit.benchmarks.memory.ReferenceBucket;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Profile;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * An application with one small page. A profile adds a limiter.
 */
@SpringBootApplication
@RestController
public class HttpApplication {

	private static final RateLimiterConfig RESILIENCE4J = RateLimiterConfig.custom()
		.limitForPeriod(1_000_000_000)
		.limitRefreshPeriod(Duration.ofSeconds(1))
		.timeoutDuration(Duration.ZERO)
		.build();

	/**
	 * Starts the application.
	 * @param arguments properties of Spring Boot
	 */
	public static void main(String[] arguments) {
		start(arguments);
	}

	static ConfigurableApplicationContext start(String... arguments) {
		return new SpringApplicationBuilder(HttpApplication.class).properties("spring.config.name=http-benchmark")
			.run(arguments);
	}

	@GetMapping("/hello")
	String hello() {
		return "hello";
	}

	/** A filter that does the minimum work for a limit. */
	@Bean
	@Profile("reference")
	Filter reference() {
		ReferenceBucket bucket = Peers.reference();
		return (request, response, chain) -> next(bucket.tryAcquire(), request, response, chain);
	}

	/** A filter with a limiter of Resilience4j for each of the four tiers. */
	@Bean
	@Profile("resilience4j")
	Filter resilience4j() {
		RateLimiterRegistry registry = RateLimiterRegistry.of(RESILIENCE4J);
		return (request, response, chain) -> {
			HttpServletRequest http = (HttpServletRequest) request;
			boolean allowed = registry.rateLimiter("global").acquirePermission()
					&& registry.rateLimiter("ip " + http.getRemoteAddr()).acquirePermission()
					&& registry.rateLimiter("user " + http.getHeader("X-User")).acquirePermission()
					&& registry.rateLimiter("endpoint " + http.getRequestURI()).acquirePermission();
			next(allowed, request, response, chain);
		};
	}

	private static void next(boolean allowed, ServletRequest request, ServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		if (allowed) {
			chain.doFilter(request, response);
		}
		else {
			((HttpServletResponse) response).setStatus(429);
		}
	}

}
