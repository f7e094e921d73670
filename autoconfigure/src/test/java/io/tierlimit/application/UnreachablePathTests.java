package io.tierlimit.application;

import java.util.regex.Pattern;

import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests paths of rules together with the paths of the context and of the dispatcher
 * servlet.
 */
@ExtendWith(OutputCaptureExtension.class)
class UnreachablePathTests {

	@ParameterizedTest
	@CsvSource(delimiter = ';', textBlock = """
			server.servlet.context-path=/shop; /shop/orders/{id}; begins with the context path
			server.servlet.context-path=/shop; /shop; begins with the context path
			server.servlet.context-path=/ord; /ord/several; Set it to /several.
			server.servlet.context-path=/pla; /pla/several; Set it to /several.
			spring.mvc.servlet.path=/mvc; /orders/{id}; Set it to /mvc/orders/{id}.
			spring.mvc.servlet.path=/ord; /orders/{id}; Set it to /ord/orders/{id}.
			spring.mvc.servlet.path=/mvc; /orders/**; Set it to /mvc/orders/**.
			""")
	void warningIsLoggedForAPathThatCanHardlyMatch(String property, String path, String warning,
			CapturedOutput output) {
		start(property, "paths", path);
		assertThat(output).containsOnlyOnce(": path '" + path + "' ").containsOnlyOnce(warning);
		start(property, "exclude-paths", path);
		assertThat(output).containsOnlyOnce(": excluded path '" + path + "' ");
		assertThat(output.getAll().split(Pattern.quote(warning), -1)).hasSize(1 + 2);
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';', textBlock = """
			server.servlet.context-path=/shop; /orders/{id}
			server.servlet.context-path=/shop; /shops/1
			server.servlet.context-path=/orders; /orders/{id}
			server.servlet.context-path=/plain; /plain/program
			spring.mvc.servlet.path=/mvc; /mvc/orders/{id}
			spring.mvc.servlet.path=/mvc; /**
			spring.mvc.servlet.path=/mvc; /*/orders/{id}
			spring.mvc.servlet.path=/mvc; /no/such/mapping
			spring.mvc.servlet.path=/mvc; /plain/program
			server.port=0; /no/such/mapping
			""")
	void noWarningIsLoggedForOtherPaths(String property, String path, CapturedOutput output) {
		start(property, "paths", path);
		start(property, "exclude-paths", path);
		assertThat(output).doesNotContain("begins with the context path", "without the path of its servlet", "path '");
	}

	private static void start(String property, String paths, String path) {
		RunningApplication
			.start(TestApplication.class, property, "tierlimit.rules.r.rate=1/s",
					"tierlimit.rules.r." + paths + "=" + path)
			.close();
	}

}
