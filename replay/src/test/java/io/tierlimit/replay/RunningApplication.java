package io.tierlimit.replay;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import io.tierlimit.evaluation.Sleeper;
import io.tierlimit.spi.KeyResolver;
import io.tierlimit.test.SimulatedTicker;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.ResponseEntity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * An application on a real server with a simulated clock. The server writes its own
 * access log, with the simulated time that each request has in a header.
 */
final class RunningApplication implements AutoCloseable {

	static final String TIME = "X-Time";

	private final ConfigurableApplicationContext context;

	private final Path directory;

	private RunningApplication(ConfigurableApplicationContext context, Path directory) {
		this.context = context;
		this.directory = directory;
	}

	static RunningApplication start(Path directory, String rules, String pattern, boolean secured) {
		List<String> arguments = new ArrayList<>(List.of("--server.port=0",
				"--spring.config.location=classpath:/" + rules, "--server.tomcat.accesslog.enabled=true",
				"--server.tomcat.accesslog.buffered=false", "--server.tomcat.accesslog.directory=" + directory,
				"--server.tomcat.accesslog.pattern=" + pattern, "--logging.level.root=warn",
				"--server.tomcat.basedir=" + directory));
		if (!secured) {
			arguments.add("--spring.autoconfigure.exclude="
					+ "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration,"
					+ "org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration,"
					+ "org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration");
		}
		return new RunningApplication(
				new SpringApplicationBuilder(Application.class, secured ? Secured.class : Open.class)
					.run(arguments.toArray(String[]::new)),
				directory);
	}

	int port() {
		return Objects.requireNonNull(((ServletWebServerApplicationContext) this.context).getWebServer()).getPort();
	}

	SimulatedTicker clock() {
		return this.context.getBean(SimulatedTicker.class);
	}

	/** Waits until the server has completed the request whose response was received. */
	void awaitCompletion() throws InterruptedException {
		this.context.getBean(CompletedRequests.class).awaitNext();
	}

	Path log() throws IOException {
		try (Stream<Path> files = Files.list(this.directory)) {
			return files.filter((file) -> file.getFileName().toString().startsWith("access_log"))
				.findFirst()
				.orElseThrow();
		}
	}

	@Override
	public void close() {
		this.context.close();
	}

	@RestController
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		SimulatedTicker clock() {
			return new SimulatedTicker(Instant.parse("2026-11-23T08:00:00Z"));
		}

		@Bean
		CompletedRequests completedRequests() {
			return new CompletedRequests();
		}

		@Bean
		WebServerFactoryCustomizer<TomcatServletWebServerFactory> completion(CompletedRequests requests) {
			return (server) -> server.addEngineValves(requests);
		}

		@Bean
		Sleeper sleeper() {
			return (time) -> {
			};
		}

		@Bean
		KeyResolver tenant() {
			return (caller) -> caller.header("X-Tenant");
		}

		@RequestMapping("/api/orders/{id}")
		String order(@PathVariable String id) {
			return id;
		}

		@GetMapping({ "/api/search", "/files/{*name}", "/api/members" })
		String other() {
			return "ok";
		}

		@GetMapping("/status/{code}")
		ResponseEntity<Void> status(@PathVariable int code) {
			return ResponseEntity.status(code).build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Open {

	}

	@Configuration(proxyBeanMethods = false)
	static class Secured {

		@Bean
		SecurityFilterChain security(HttpSecurity http) {
			return http
				.authorizeHttpRequests(
						(requests) -> requests.requestMatchers("/admin").denyAll().anyRequest().permitAll())
				.httpBasic((basic) -> {
				})
				.csrf((csrf) -> csrf.disable())
				.build();
		}

		/** Not slow, since nearly every request is authenticated. */
		@Bean
		PasswordEncoder passwords() {
			return new PasswordEncoder() {

				@Override
				public String encode(@Nullable CharSequence password) {
					return String.valueOf(password);
				}

				@Override
				public boolean matches(@Nullable CharSequence password, @Nullable String encoded) {
					return String.valueOf(password).equals(encoded);
				}

			};
		}

		@Bean
		UserDetailsService users() {
			return new InMemoryUserDetailsManager(User.withUsername("ann").password("ann").build(),
					User.withUsername("bob").password("bob").authorities("PLAN_pro").build(),
					User.withUsername("cleo").password("cleo").authorities("PLAN_unlimited").build(),
					User.withUsername("dan").password("dan").authorities("ROLE_X").build());
		}

	}

}
