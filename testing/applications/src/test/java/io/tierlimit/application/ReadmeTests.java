package io.tierlimit.application;

import java.nio.file.Path;

import io.tierlimit.application.RunningApplication.Response;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the rules of the README in an application with Spring Security. The clock does not
 * advance, so that the seconds are the same in each run.
 */
@Tag("conventions")
class ReadmeTests {

	private static final DocumentationPage README = DocumentationPage.readme();

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	@TempDir
	private static Path directory;

	private final RunningApplication application = applications.start(ReadmeApplication.class,
			README.configuration(directory));

	@Test
	void sixthExportGetsTheResponseOfTheReadme() {
		for (int i = 0; i < 5; i++) {
			assertThat(export("fred").status()).isEqualTo(200);
		}
		README.assertResponse(0, export("fred"));
		assertThat(export("emma").status()).isEqualTo(200);
	}

	private Response export(String user) {
		return this.application.send("POST", "/exports", "Authorization", RunningApplication.basic(user, "secret"));
	}

	@ParameterizedTest
	@CsvSource({ "fred, 60", "paula, 600" })
	void userHasTheLimitOfThePlan(String user, long limit) {
		Response response = this.application.getAs(user, "/orders");
		assertThat(response.policies()).containsOnlyKeys("per-address", "per-user");
		assertThat(response.policies().get("per-user")).containsEntry("q", limit);
	}

	@Test
	void userWithoutALimitHasOnlyTheLimitOfTheAddress() {
		assertThat(this.application.getAs("emma", "/orders").policies()).containsOnlyKeys("per-address");
		for (int i = 0; i < 99; i++) {
			assertThat(this.application.getAs("emma", "/orders").status()).isEqualTo(200);
		}
		assertThat(this.application.getAs("emma", "/orders").status()).isEqualTo(429);
	}

	@Test
	void onlyFailedLoginsAreCharged() {
		assertThat(login("fred", "secret").header("Location")).doesNotContain("error");
		for (int i = 0; i < 5; i++) {
			assertThat(login("fred", "guess").header("Location")).contains("error");
		}
		assertThat(login("fred", "secret").status()).isEqualTo(429);
		assertThat(login("paula", "secret").header("Location")).doesNotContain("error");
	}

	private Response login(String user, String password) {
		return this.application.postForm("/login", "username=" + user + "&password=" + password);
	}

}
