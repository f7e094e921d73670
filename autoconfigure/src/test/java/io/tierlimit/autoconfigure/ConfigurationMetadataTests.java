package io.tierlimit.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.context.properties.bind.DataObjectPropertyName;

import static org.assertj.core.api.Assertions.assertThat;

class ConfigurationMetadataTests {

	private static final String METADATA = "/META-INF/spring-configuration-metadata.json";

	@Test
	void everyPropertyHasADescription() throws IOException {
		assertThat(properties()).isNotEmpty()
			.allSatisfy((property) -> assertThat(property.path("description").asString("")).as(name(property))
				.isNotBlank());
	}

	@Test
	void everyPropertyOfARuleHasADescription() throws IOException {
		String source = Files.readString(Path.of("src/main/java/io/tierlimit/autoconfigure/RuleProperties.java"));
		for (Class<?> type : List.of(RuleProperties.class, RuleProperties.PlanProperties.class)) {
			for (RecordComponent component : type.getRecordComponents()) {
				assertThat(source).containsPattern("\\* @param " + component.getName() + " [A-Z]");
			}
		}
	}

	@Test
	void everyPropertyIsDocumented() throws IOException {
		String docs = Files.readString(Path.of("../docs/rules.md")) + Files.readString(Path.of("../docs/headers.md"));
		assertThat(properties().stream().map(ConfigurationMetadataTests::name))
			.allSatisfy((name) -> assertThat(docs).contains("`" + name));
		assertThat(names(RuleProperties.class)).allSatisfy((name) -> assertThat(docs).contains("| `" + name + "`"));
		assertThat(names(RuleProperties.PlanProperties.class))
			.allSatisfy((name) -> assertThat(docs).contains("`" + name));
	}

	private static Stream<String> names(Class<?> type) {
		return Arrays.stream(type.getRecordComponents())
			.map(RecordComponent::getName)
			.map(DataObjectPropertyName::toDashedForm);
	}

	private static String name(JsonNode property) {
		return property.path("name").asString();
	}

	private static List<JsonNode> properties() throws IOException {
		try (InputStream metadata = Objects
			.requireNonNull(ConfigurationMetadataTests.class.getResourceAsStream(METADATA))) {
			return List.copyOf(JsonMapper.shared().readTree(metadata).path("properties").values());
		}
	}

}
