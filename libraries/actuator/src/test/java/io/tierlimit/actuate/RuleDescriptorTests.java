package io.tierlimit.actuate;

import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RuleDescriptor}.
 */
class RuleDescriptorTests {

	private static final Pattern DESCRIBE = Pattern.compile("void describe\\(Map<String, Object> (\\w+)\\)");

	/** Otherwise the JSON of a rule would have a name twice. */
	@Test
	void optionDescribesItselfByNoNameOfAComponent() throws IOException {
		Set<String> names = new TreeSet<>();
		try (Stream<Path> files = Files.walk(Path.of("../core/src/main/java/io/tierlimit/option"))) {
			for (Path file : files.filter(Files::isRegularFile).toList()) {
				String source = Files.readString(file);
				Matcher describe = DESCRIBE.matcher(source);
				if (describe.find()) {
					Pattern.compile("\\b(?:%1$s\\.put\\(|put\\(%1$s, )\"(\\w+)\"".formatted(describe.group(1)))
						.matcher(source)
						.results()
						.forEach((put) -> names.add(put.group(1)));
				}
			}
		}
		assertThat(names)
			.contains("adaptive", "ban", "candidate", "candidateOf", "chargeOn", "enforceShare", "maxReserved",
					"maxWait", "resetOn", "schedule", "shards")
			.doesNotContainAnyElementsOf(
					Stream.of(RuleDescriptor.class.getRecordComponents()).map(RecordComponent::getName).toList());
	}

}
