package com.example.stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

@ExtendWith(OutputCaptureExtension.class)
class StreamApplicationTests {

	@Test
	void rulesForRequestsPreventStartupWithAMessage(CapturedOutput output) {
		assertThatException()
			.isThrownBy(() -> SpringApplication.run(StreamApplication.class, "--server.port=0").close());
		assertThat(output).contains("APPLICATION FAILED TO START", "[per-ip] apply to requests",
				"this is a reactive application (WebFlux)", "spring.main.web-application-type to servlet");
	}

	@Test
	void rulesForMethodsStart() {
		try (ConfigurableApplicationContext stream = SpringApplication.run(StreamApplication.class, "--server.port=0",
				"--tierlimit.rules.per-ip.scope=global", "--tierlimit.rules.per-ip.applies-to=code")) {
			assertThat(stream.isRunning()).isTrue();
		}
	}

}
