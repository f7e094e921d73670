package io.tierlimit.logging;

import java.io.IOException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class OnceLoggerTests {

	private final OnceLogger logger = new OnceLogger(OnceLoggerTests.class);

	@Test
	void textIsLoggedOnceInTheCategory(CapturedOutput output) {
		for (int i = 0; i < 3; i++) {
			this.logger.warn("the disk is full");
			this.logger.warn("the disk is slow");
		}
		assertThat(output).containsOnlyOnce("the disk is full").containsOnlyOnce("the disk is slow");
		assertThat(output.getAll().lines().filter((line) -> line.contains("the disk")))
			.allSatisfy((line) -> assertThat(line).contains("WARN", OnceLoggerTests.class.getSimpleName()));
	}

	@Test
	void firstWarningOfASubjectIsLoggedWithItsCause(CapturedOutput output) {
		this.logger.warn(String.class, "first", new IOException("no disk"));
		this.logger.warn(String.class, "second", new IOException("no network"));
		this.logger.warn(Integer.class, "third", null);
		assertThat(output).contains("first", "java.io.IOException: no disk", "third")
			.doesNotContain("second", "no network");
	}

	@Test
	void numberOfSubjectsIsBounded(CapturedOutput output) {
		for (int i = 1; i <= 2000; i++) {
			this.logger.warn("subject " + i + ".");
		}
		assertThat(output).contains("subject 1.", "subject 1000.")
			.containsOnlyOnce("Further warnings of this class are not logged")
			.doesNotContain("subject 1001.", "subject 2000.");
	}

}
