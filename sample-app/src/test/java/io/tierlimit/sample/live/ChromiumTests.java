package io.tierlimit.sample.live;

import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * A machine without a browser fails the tests, and says why.
 */
class ChromiumTests {

	@Test
	void machineWithoutBrowserIsToldWhatToInstall() {
		assertThatIllegalStateException().isThrownBy(() -> Chromium.executable(Map.of("PATH", "/nowhere")))
			.withMessageContaining("install the package chromium");
		assertThatIllegalStateException()
			.isThrownBy(() -> Chromium.executable(Map.of("CHROMIUM", "/nowhere/chromium", "PATH", "/usr/bin")))
			.withMessageContaining("CHROMIUM");
	}

}
