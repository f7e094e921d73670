package io.tierlimit.application;

import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;

import io.tierlimit.redis.Poll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Wherever the filters are, the thread is bound to the request before Spring Security
 * authenticates: otherwise a failed login would not be recorded.
 */
class FilterOrderTests {

	@ParameterizedTest
	@ValueSource(strings = { "spring.security.filter.order=-100", "spring.security.filter.order=-500",
			"spring.security.filter.order=500", "tierlimit.web.order=-5000", "tierlimit.web.order=-101",
			"tierlimit.web.order=-105" })
	void failedLoginIsCharged(String order) {
		try (RunningApplication application = RunningApplication.start(EndingApplication.class, order,
				"tierlimit.rules.failures.scope=global", "tierlimit.rules.failures.paths=/login",
				"tierlimit.rules.failures.rate=1/d", "tierlimit.rules.failures.burst=100",
				"tierlimit.rules.failures.charge=authentication-failure")) {
			assertThat(login(application, "secret")).isEqualTo(302);
			Poll.until(Duration.ofSeconds(20), () -> application.spent("failures", "") == 0,
					() -> "The charge of a successful login stands");
			assertThat(login(application, "guess")).isEqualTo(302);
			assertThat(application.spent("failures", "")).isEqualTo(1);
			assertThat(login(application, "secret")).isEqualTo(302);
			Poll.until(Duration.ofSeconds(20), () -> application.spent("failures", "") == 1,
					() -> "Spent are " + application.spent("failures", ""));
		}
	}

	private static int login(RunningApplication application, String password) {
		return application
			.send("POST", "/login", BodyPublishers.ofString("username=alice&password=" + password), "Content-Type",
					"application/x-www-form-urlencoded")
			.status();
	}

}
