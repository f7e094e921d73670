package io.tierlimit.application;

import io.tierlimit.application.SecuredApplication.CountingPasswordEncoder;
import io.tierlimit.store.SimulatedTicker;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.config.annotation.authentication.configuration.AuthenticationConfiguration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import static java.net.http.HttpRequest.BodyPublishers.ofString;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the preset that limits failed logins, in applications with Spring Security.
 */
@Tag("slow")
class LoginProtectionApplicationTests {

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	private RunningApplication application;

	/**
	 * The container reads fields from the parts of a multipart body, but the rule per
	 * account does not.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "multipart/form-data", "Multipart/Form-Data" })
	void multipartLoginsShareALimit(String type) {
		start("/login");
		for (int i = 0; i < 5; i++) {
			assertThat(multipart(type, "fred", "guess")).isEqualTo(401);
		}
		assertThat(multipart(type, "fred", "secret")).isEqualTo(429);
		assertThat(form("fred", "secret")).isEqualTo(204);
	}

	@Test
	void headerMayNameTheAccount() {
		start("/plain", "tierlimit.login-protection.account=header('X-Account')");
		for (int i = 0; i < 5; i++) {
			assertThat(json("fred", "guess")).isEqualTo(401);
		}
		assertThat(json("fred", "secret")).isEqualTo(429);
		assertThat(json("paula", "secret")).isEqualTo(204);
	}

	private void start(String path, String... properties) {
		this.application = applications.start(LoginApplication.class, properties,
				"tierlimit.login-protection.path=" + path, "tierlimit.login-protection.per-account=5/h",
				"tierlimit.login-protection.per-address=20/h");
	}

	private int multipart(String type, String user, String password) {
		String part = "--x\r\nContent-Disposition: form-data; name=\"%s\"\r\n\r\n%s\r\n";
		return this.application
			.send("POST", "/login",
					ofString(part.formatted("username", user) + part.formatted("password", password) + "--x--\r\n"),
					"Content-Type", type + "; boundary=x")
			.status();
	}

	private int form(String user, String password) {
		return this.application.postForm("/login", "username=" + user + "&password=" + password).status();
	}

	private int json(String user, String password) {
		String body = "{\"username\":\"" + user + "\",\"password\":\"" + password + "\"}";
		return this.application.postJson("/plain", body, "X-Account", user).status();
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ SimulatedTicker.class, CountingPasswordEncoder.class, JsonLogins.class })
	static class LoginApplication {

		@Bean
		SecurityFilterChain form(HttpSecurity http) {
			return http.csrf(AbstractHttpConfigurer::disable)
				.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll())
				.formLogin((form) -> form
					.successHandler((request, response, user) -> response.setStatus(HttpStatus.NO_CONTENT.value()))
					.failureHandler(
							(request, response, failure) -> response.setStatus(HttpStatus.UNAUTHORIZED.value())))
				.build();
		}

		@Bean
		UserDetailsService users() {
			return new InMemoryUserDetailsManager(User.withUsername("fred").password("secret").build(),
					User.withUsername("paula").password("secret").build());
		}

		@Bean
		AuthenticationManager manager(AuthenticationConfiguration configuration) {
			return configuration.getAuthenticationManager();
		}

	}

	@RestController
	static class JsonLogins {

		private final AuthenticationManager authentication;

		JsonLogins(AuthenticationManager authentication) {
			this.authentication = authentication;
		}

		@PostMapping("/plain")
		ResponseEntity<Void> plain(@RequestBody Login login) {
			try {
				this.authentication.authenticate(
						UsernamePasswordAuthenticationToken.unauthenticated(login.username(), login.password()));
				return ResponseEntity.noContent().build();
			}
			catch (AuthenticationException ex) {
				return ResponseEntity.status(HttpStatus.UNAUTHORIZED).build();
			}
		}

	}

	record Login(String username, String password) {
	}

}
