package io.tierlimit.benchmarks.http;

import java.io.IOException;
import java.util.Objects;

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
	@EnumSource(names = { "BARE_3", "BUCKET4J" }, mode = Mode.EXCLUDE)
	void everyResponseAfterTheFirstHasTheExpectedStatus(Subject subject) throws IOException {
		String[] arguments = subject.applicationArguments().toArray(String[]::new);
		try (ConfigurableApplicationContext application = HttpApplication.start(arguments)) {
			String port = Objects.requireNonNull(application.getEnvironment().getProperty("local.server.port"));
			ClosedLoop load = new ClosedLoop();
			assertThat(load.sendOne(Integer.parseInt(port))).isEqualTo(200);
			assertThat(load.sendOne(Integer.parseInt(port))).isEqualTo(subject.status());
		}
	}

}
