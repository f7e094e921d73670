package io.tierlimit.recipes;

import java.util.List;

import io.tierlimit.application.RunningApplication;
import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.application.SecuredApplication.CountingPasswordEncoder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.config.annotation.authentication.configuration.AuthenticationConfiguration;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;

import static java.net.http.HttpRequest.BodyPublishers.ofString;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The recipes for failed logins.
 */
@Tag("slow")
class LoginRecipeTests {

	@Test
	void failedLogins() {
		try (RunningApplication application = Recipe.start(WithLogin.class, "login")) {
			Curl.replay(application, "Limit failed logins (brute force)");
			assertThat(login(application, "paula", "secret").status()).isEqualTo(204);
			for (int i = 0; i < 10; i++) {
				for (int j = 0; j < 4; j++) {
					login(application, " Paula", "guess");
				}
				assertThat(login(application, "paula", "secret").status()).isEqualTo((i < 3) ? 204 : 429);
			}
		}
	}

	@Test
	void failedLoginsWithJson() {
		try (RunningApplication application = Recipe.start(WithJsonLogin.class, "login-json")) {
			Curl.replay(application, "Limit failed logins with a JSON body");
			assertThat(loginWithJson(application, "paula", "secret")).isEqualTo(204);
			for (int i = 0; i < 3; i++) {
				for (int j = 0; j < 4; j++) {
					assertThat(loginWithJson(application, " Paula", "guess")).isEqualTo(401);
				}
				assertThat(loginWithJson(application, "paula", "secret")).as("resets the bucket of the account")
					.isEqualTo(204);
			}
			assertThat(List.of(loginWithJson(application, "alice", "guess"), loginWithJson(application, "bob", "guess"),
					loginWithJson(application, "carol", "guess"), loginWithJson(application, "dave", "guess")))
				.as("the address has failed 17 times before")
				.containsExactly(401, 401, 401, 429);
		}
	}

	private static int loginWithJson(RunningApplication application, String user, String password) {
		return application
			.send("POST", "/login", ofString("{\"username\":\"" + user + "\",\"password\":\"" + password + "\"}"),
					"Content-Type", "application/json")
			.status();
	}

	private static Response login(RunningApplication application, String user, String password) {
		return application.send("POST", "/login", ofString("username=" + user + "&password=" + password),
				"Content-Type", "application/x-www-form-urlencoded");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Handlers.class, LoginSecurity.class, Users.class })
	static class WithLogin {

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ RecipeApplication.class, JsonLogin.class, Users.class })
	static class WithJsonLogin {

		@Bean
		AuthenticationManager authenticationManager(AuthenticationConfiguration configuration) {
			return configuration.getAuthenticationManager();
		}

	}

	@Import(CountingPasswordEncoder.class)
	static class Users {

		@Bean
		UserDetailsService users() {
			return new InMemoryUserDetailsManager(User.withUsername("fred").password("secret").build(),
					User.withUsername("paula").password("secret").build());
		}

	}

}
