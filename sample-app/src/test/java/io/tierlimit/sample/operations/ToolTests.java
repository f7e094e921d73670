package io.tierlimit.sample.operations;

import java.nio.file.Path;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

@Tag("slow")
class ToolTests {

	@Test
	void missingToolIsReportedInOneLine(@TempDir Path directory) {
		assertThatIllegalStateException().isThrownBy(() -> Tool.PROMETHEUS.path(directory.toString()))
			.withMessageStartingWith("There is no prometheus on the PATH: install Prometheus")
			.withMessageNotContaining("\n");
	}

}
