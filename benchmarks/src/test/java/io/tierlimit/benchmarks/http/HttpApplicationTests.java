package io.tierlimit.benchmarks.http;

import java.io.IOException;
import java.util.Objects;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Starts each application of this module once, and sends it two requests.
 */
class HttpApplicationTests {

	@ParameterizedTest
	@EnumSource(names = { "BARE", "BARE_3", "BUCKET4J" }, mode = Mode.EXCLUDE)
	void everyResponseAfterTheFirstHasTheExpectedStatus(Application application) throws IOException {
		String[] arguments = application.applicationArguments().toArray(String[]::new);
		try (ConfigurableApplicationContext running = HttpApplication.start(arguments)) {
			String port = Objects.requireNonNull(running.getEnvironment().getProperty("local.server.port"));
			UserLoad load = new UserLoad();
			assertThat(load.sendOne(Integer.parseInt(port))).isEqualTo(200);
			assertThat(load.sendOne(Integer.parseInt(port))).isEqualTo(application.status());
		}
	}

	@Test
	void processReportsItsPort() throws Exception {
		try (Server server = Server.start(Application.BARE)) {
			UserLoad load = new UserLoad();
			assertThat(load.sendOne(server.port())).isEqualTo(200);
			assertThat(load.sendOne(server.port())).isEqualTo(Application.BARE.status());
		}
	}

}
