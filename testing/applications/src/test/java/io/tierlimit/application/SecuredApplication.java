package io.tierlimit.application;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;

import io.tierlimit.RateLimited;
import io.tierlimit.store.SimulatedTicker;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.oauth2.jwt.BadJwtException;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * An application with three security filter chains: bearer tokens, sessions after a form
 * login, and HTTP basic.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ SimulatedTicker.class, SecuredApplication.Handlers.class, SecuredApplication.CountingPasswordEncoder.class })
public class SecuredApplication {

	static final List<String> ODD_NAMES = List.of("", " ", "a".repeat(10_000), "a:b", "{a}", "a\nb", "\uD83D\uDE42",
			"a|b", "a\\|b", "(none)", "(ip)127.0.0.1", "\u0000", "*");

	@Bean
	@Order(1)
	SecurityFilterChain tokens(HttpSecurity http) {
		return http.securityMatcher("/token/**")
			.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
			.oauth2ResourceServer((server) -> server.jwt(Customizer.withDefaults()))
			.build();
	}

	@Bean
	@Order(2)
	SecurityFilterChain sessions(HttpSecurity http) {
		return http.securityMatcher("/session/**", "/login")
			.csrf(AbstractHttpConfigurer::disable)
			.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
			.formLogin(Customizer.withDefaults())
			.build();
	}

	@Bean
	@Order(3)
	SecurityFilterChain basic(HttpSecurity http) {
		return http.csrf(AbstractHttpConfigurer::disable)
			.authorizeHttpRequests(
					(requests) -> requests.requestMatchers("/open/**").permitAll().anyRequest().authenticated())
			.httpBasic(Customizer.withDefaults())
			.build();
	}

	@Bean
	UserDetailsService users() {
		return new InMemoryUserDetailsManager(User.withUsername("alice").password("secret").authorities("A").build(),
				User.withUsername("bob").password("secret").authorities("A", "PLAN_pro").build());
	}

	/**
	 * Decodes a token, which is the name of its owner, or the index of an unusual name.
	 */
	@Bean
	JwtDecoder decoder() {
		return (token) -> {
			if (token.startsWith("forged")) {
				throw new BadJwtException("forged");
			}
			String owner = token.startsWith("odd") ? ODD_NAMES.get(Integer.parseInt(token.substring(3))) : token;
			return Jwt.withTokenValue(token)
				.header("alg", "none")
				.subject(owner)
				.claim("tenant", "tenant-of-" + token)
				.expiresAt(Instant.MAX)
				.build();
		};
	}

	/**
	 * Compares passwords without hashing, which would take most of the time of a test.
	 */
	public static final class CountingPasswordEncoder implements PasswordEncoder {

		final AtomicInteger checks = new AtomicInteger();

		@Override
		public String encode(CharSequence password) {
			return password.toString();
		}

		@Override
		public boolean matches(CharSequence password, String encoded) {
			this.checks.incrementAndGet();
			return encoded.contentEquals(password);
		}

	}

	@RestController
	static class Handlers {

		@GetMapping({ "/basic", "/token/data", "/session/data", "/open/data" })
		String data() {
			return "data";
		}

		@GetMapping({ "/async", "/open/async" })
		Callable<String> async() {
			return () -> "later";
		}

		@RateLimited(name = "per-address", rate = "1/d", burst = "3", scope = "ip")
		@GetMapping("/annotated/address")
		String perAddress() {
			return "data";
		}

		@RateLimited(name = "per-user", rate = "1/d", burst = "3", scope = "user")
		@GetMapping("/annotated/user")
		String perUser() {
			return "data";
		}

		@RateLimited(name = "by-argument", rate = "1/d", burst = "3", key = "#id")
		@GetMapping("/annotated/argument")
		String byArgument(String id) {
			return "data";
		}

	}

}
