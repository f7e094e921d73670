package io.tierlimit.sample.browser;

import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests that a missing browser fails the tests with the reason.
 */
class ChromiumTests {

	@Test
	void missingBrowserIsReportedWithTheRemedy() {
		assertThatIllegalStateException().isThrownBy(() -> Chromium.executable(Map.of("PATH", "/nowhere")))
			.withMessageContaining("install the package chromium");
		assertThatIllegalStateException()
			.isThrownBy(() -> Chromium.executable(Map.of("CHROMIUM", "/nowhere/chromium", "PATH", "/usr/bin")))
			.withMessageContaining("CHROMIUM");
	}

}
