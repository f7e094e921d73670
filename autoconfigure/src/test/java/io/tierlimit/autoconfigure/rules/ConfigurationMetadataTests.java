package io.tierlimit.autoconfigure.rules;

import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import io.tierlimit.AppliesTo;
import io.tierlimit.HeaderVisibility;
import io.tierlimit.MissingKeyPolicy;
import io.tierlimit.RuleMode;
import io.tierlimit.autoconfigure.ConfigurationMetadata;
import io.tierlimit.autoconfigure.TierlimitHealthAutoConfiguration;
import io.tierlimit.autoconfigure.environment.PropertyNames;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.option.RuleReader;
import io.tierlimit.option.standard.StandardOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

@Tag("conventions")
class ConfigurationMetadataTests {

	/**
	 * The properties without a default, or with a default that the description explains.
	 */
	private static final List<String> OPTIONAL = List.of("tierlimit.rules", "tierlimit.overrides",
			"tierlimit.plan.default", "tierlimit.keys.secret", "tierlimit.user.key", "tierlimit.web.order",
			"tierlimit.web.authenticated-order", "tierlimit.web.limits-path", "tierlimit.client-ip.trusted-proxies",
			"tierlimit.redis.connection-factory", "tierlimit.login-protection.path",
			"tierlimit.login-protection.per-account", "tierlimit.login-protection.per-address",
			"tierlimit.jdbc.data-source", "tierlimit.plan.key");

	/**
	 * The documented types are not bound, so their names could differ from the names that
	 * are read.
	 */
	@Test
	void documentedNamesAreTheNamesThatAreRead() {
		assertThat(names("", RuleProperties.class))
			.containsExactlyInAnyOrderElementsOf(RuleReader.properties(StandardOptions.readers(true)));
		assertThat(names("", OverrideProperties.class)).containsExactlyInAnyOrderElementsOf(OverrideProperties.NAMES);
	}

	private static List<String> names(String prefix, Class<?> type) {
		List<String> names = new ArrayList<>();
		for (RecordComponent component : type.getRecordComponents()) {
			String name = prefix + PropertyNames.name(component);
			if (component.getType().isRecord()) {
				names.addAll(names(name + ".", component.getType()));
			}
			else if (component.getType() == Map.class) {
				names.addAll(names(name + ".*.", RuleProperties.PlanProperties.class));
			}
			else {
				names.add((component.getType() == List.class) ? name + "[]" : name);
			}
		}
		return names;
	}

	@Test
	void everyPropertyHasADescription() throws IOException {
		assertThat(ConfigurationMetadata.properties()).isNotEmpty()
			.allSatisfy((property) -> assertThat(property.path("description").asString(""))
				.as(ConfigurationMetadata.name(property))
				.isNotBlank());
	}

	/**
	 * The annotation processor does not find this property, because a condition of Spring
	 * Boot reads it.
	 */
	@Test
	void propertyOfTheHealthContributorIsKnown() throws IOException {
		ConditionalOnEnabledHealthIndicator condition = Objects.requireNonNull(
				TierlimitHealthAutoConfiguration.class.getAnnotation(ConditionalOnEnabledHealthIndicator.class));
		assertThat(ConfigurationMetadata.properties())
			.filteredOn((property) -> ConfigurationMetadata.name(property)
				.equals("management.health." + condition.value() + ".enabled"))
			.singleElement()
			.satisfies((property) -> {
				assertThat(property.path("type").asString()).isEqualTo("java.lang.Boolean");
				assertThat(property.path("defaultValue").asBoolean()).isTrue();
			});
	}

	@Test
	void everyPropertyHasADefaultOrIsOptional() throws IOException {
		assertThat(ConfigurationMetadata.properties()).allSatisfy((property) -> assertThat(
				property.has("defaultValue") || OPTIONAL.contains(ConfigurationMetadata.name(property)))
			.as(ConfigurationMetadata.name(property))
			.isTrue());
	}

	/**
	 * The format does not support hints for properties below the keys of a map. Editors
	 * complete their values by their types.
	 */
	@Test
	void whatHasFewValuesHasATypeThatEditorsComplete() {
		assertThat(types(RuleProperties.class)).contains(entry("mode", RuleMode.class),
				entry("on-missing-key", MissingKeyPolicy.class), entry("applies-to", AppliesTo.class),
				entry("headers", HeaderVisibility.class), entry("enabled", Boolean.class),
				entry("on-store-failure", StoreFailurePolicy.class), entry("max-reserved", Long.class),
				entry("max-wait", Duration.class));
		assertThat(types(RuleProperties.PlanProperties.class)).contains(entry("unlimited", Boolean.class));
		assertThat(types(RuleProperties.BanProperties.class)).contains(entry("after", Long.class),
				entry("within", Duration.class), entry("for", Duration.class), entry("max", Duration.class));
	}

	@Test
	void whatIsFreeTextHasExamples() throws IOException {
		Map<String, String> types = new HashMap<>();
		ConfigurationMetadata.properties()
			.forEach((property) -> types.put(ConfigurationMetadata.name(property), property.path("type").asString()));
		assertThat(types).containsEntry("tierlimit.headers.styles",
				"java.util.List<io.tierlimit.web.header.HeaderStyle>");
		types.remove("tierlimit.keys.secret");
		types.values().removeIf((type) -> !type.equals("java.lang.String"));
		assertThat(hints()).containsExactlyInAnyOrderElementsOf(types.keySet());
	}

	private static Map<String, Class<?>> types(Class<?> type) {
		Map<String, Class<?>> types = new HashMap<>();
		for (RecordComponent component : type.getRecordComponents()) {
			types.put(PropertyNames.name(component), component.getType());
		}
		return types;
	}

	private static List<String> hints() throws IOException {
		return ConfigurationMetadata.hints()
			.stream()
			.filter((hint) -> !hint.path("values").isEmpty())
			.map(ConfigurationMetadata::name)
			.toList();
	}

	@Test
	void everyPropertyIsDocumented() throws IOException {
		StringBuilder docs = new StringBuilder();
		try (DirectoryStream<Path> pages = Files.newDirectoryStream(Path.of("../docs"), "*.md")) {
			for (Path page : pages) {
				docs.append(Files.readString(page));
			}
		}
		assertThat(ConfigurationMetadata.properties().stream().map(ConfigurationMetadata::name))
			.allSatisfy((name) -> assertThat(docs).contains("`" + name));
		assertThat(names(RuleProperties.class).filter((name) -> !name.equals("window")))
			.allSatisfy((name) -> assertThat(docs).contains("| `" + name + "`"));
		assertThat(names(RuleProperties.WindowProperties.class)).allSatisfy(
				(name) -> assertThat(docs).contains("| `window." + name + "`", "| `candidate.window." + name + "`"));
		assertThat(names(RuleProperties.PlanProperties.class))
			.allSatisfy((name) -> assertThat(docs).contains("`" + name));
		String overrides = Files.readString(Path.of("../docs/single-callers.md"));
		assertThat(names(OverrideProperties.class))
			.allSatisfy((name) -> assertThat(overrides).containsPattern("\\| .*`" + name + "`.* \\|"));
		assertThat(names(RuleProperties.BanProperties.class))
			.allSatisfy((name) -> assertThat(docs).contains("| `ban." + name + "`"));
		assertThat(names(RuleProperties.CandidateProperties.class).filter((name) -> !name.equals("window")))
			.allSatisfy((name) -> assertThat(docs).contains("| `candidate." + name + "`"));
		assertThat(names(RuleProperties.ScheduleProperties.class))
			.allSatisfy((name) -> assertThat(docs).contains("| `schedule." + name + "`"));
	}

	private static Stream<String> names(Class<?> type) {
		return Arrays.stream(type.getRecordComponents()).map(PropertyNames::name);
	}

}
