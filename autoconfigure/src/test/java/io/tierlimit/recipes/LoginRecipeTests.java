package io.tierlimit.recipes;

import io.tierlimit.application.RunningApplication;
import io.tierlimit.application.RunningApplication.Response;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;

import static java.net.http.HttpRequest.BodyPublishers.ofString;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The recipe for failed logins.
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

	private static Response login(RunningApplication application, String user, String password) {
		return application.send("POST", "/login", ofString("username=" + user + "&password=" + password),
				"Content-Type", "application/x-www-form-urlencoded");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Handlers.class, LoginSecurity.class })
	static class WithLogin {

		@Bean
		UserDetailsService users() {
			return new InMemoryUserDetailsManager(User.withUsername("fred").password("{noop}secret").build(),
					User.withUsername("paula").password("{noop}secret").build());
		}

	}

}
