package io.tierlimit.application;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
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
@Tag("slow")
class UnreachablePathTests {

	/** Unreachable paths are listed with the paths that the warnings propose. */
	@ParameterizedTest
	@CsvSource(delimiter = ';', nullValues = "-", textBlock = """
			server.servlet.context-path=/shop; /shop/orders/{id} > /orders/{id}, /shop > /; /orders/{id}, /shops/1
			server.servlet.context-path=/ord; /ord/several > /several; -
			server.servlet.context-path=/pla; /pla/several > /several; -
			server.servlet.context-path=/orders; -; /orders/{id}
			server.servlet.context-path=/plain; -; /plain/program
			spring.mvc.servlet.path=/mvc; /orders/{id} > /mvc/orders/{id}, /orders/** > /mvc/orders/**; \
			/mvc/orders/{id}, /**, /*/orders/{id}, /no/such/mapping, /plain/program
			spring.mvc.servlet.path=/ord; /orders/{id} > /ord/orders/{id}; -
			server.port=0; -; /no/such/mapping
			""")
	void warningIsLoggedForAPathThatCanHardlyMatch(String property, @Nullable String unreachable,
			@Nullable String reachable, CapturedOutput output) {
		Map<String, String> proposals = new LinkedHashMap<>();
		split(unreachable).map((path) -> path.split(" > ", 2)).forEach((pair) -> proposals.put(pair[0], pair[1]));
		List<String> others = split(reachable).toList();
		List<String> properties = new ArrayList<>(List.of(property));
		Stream.concat(proposals.keySet().stream(), others.stream()).forEach((path) -> {
			for (String kind : List.of("paths", "exclude-paths")) {
				String rule = "tierlimit.rules." + kind + properties.size();
				properties.add(rule + ".rate=1/s");
				properties.add(rule + "." + kind + "=" + path);
			}
		});
		RunningApplication.start(TestApplication.class, properties.toArray(String[]::new)).close();
		proposals.forEach((path, proposal) -> {
			assertThat(output).containsOnlyOnce(": path '" + path + "' ")
				.containsOnlyOnce(": excluded path '" + path + "' ");
			assertThat(output.getAll().split(Pattern.quote("Set it to " + proposal + "."), -1)).hasSize(1 + 2);
		});
		assertThat(others).allSatisfy((path) -> assertThat(output).doesNotContain("path '" + path + "' "));
	}

	private static Stream<String> split(@Nullable String paths) {
		return (paths != null) ? Arrays.stream(paths.split(", ", -1)) : Stream.empty();
	}

}
