package io.tierlimit.autoconfigure.rules;

import java.io.IOException;
import java.lang.reflect.Parameter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.tierlimit.autoconfigure.ConfigurationMetadata;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares docs/reference.md with the metadata of all properties: the page has each
 * property once, with its description and its default. The page chooses the groups, their
 * order, and the examples of properties without a default. Run with the system property
 * {@code docs.write} to write descriptions and defaults to the page.
 */
@Tag("conventions")
class ConfigurationReferenceTests {

	private static final Path PAGE = Path.of("../docs/reference.md");

	private static final Path RULES = Path.of("src/main/java/io/tierlimit/autoconfigure/rules/RuleProperties.java");

	private static final Path OVERRIDES = Path
		.of("src/main/java/io/tierlimit/autoconfigure/rules/OverrideProperties.java");

	/** A property with its default or an example, not a group or a description. */
	private static final Pattern PROPERTY = Pattern.compile("\\s*#?[a-z0-9-]+: \\S.*");

	/**
	 * 114 properties, and 2 for actual costs. Before a property is added, look for one
	 * that can be merged or inferred.
	 */
	private static final int MAX_PROPERTIES = 116;

	private static final int WIDTH = 110;

	private static final Pattern KEY = Pattern.compile("((?:  )*)#?([a-z0-9-]+):(?: (.*))?");

	@Test
	void everyPropertyIsInTheReference() throws IOException {
		Map<String, Documented> properties = properties();
		String current = Files.readString(PAGE);
		List<String> written = new ArrayList<>();
		List<String> found = new ArrayList<>();
		List<String> parents = new ArrayList<>();
		boolean yaml = false;
		for (String line : current.split("\n", -1)) {
			yaml = line.startsWith("```") ? line.equals("```yaml") : yaml;
			Matcher key = KEY.matcher(line);
			if (!yaml || !(key.matches() || line.strip().startsWith("# "))) {
				written.add(line);
			}
			else if (key.matches()) {
				String indent = key.group(1);
				parents.subList(indent.length() / 2, parents.size()).clear();
				parents.add(key.group(2));
				String name = String.join(".", parents);
				Documented property = properties.get(name);
				if (property == null) {
					assertThat(key.group(3)).as("%s is not a property", name).isNull();
					written.add(line);
				}
				else {
					found.add(name);
					written.addAll(comment(indent, property.description()));
					written.add((property.value() != null)
							? indent + (property.isDefault() ? "" : "#") + key.group(2) + ": " + property.value()
							: indent + "#" + line.strip().replaceFirst("^#", ""));
				}
			}
		}
		assertThat(found).containsExactlyInAnyOrderElementsOf(properties.keySet());
		if (System.getProperty("docs.write") != null) {
			Files.writeString(PAGE, String.join("\n", written));
		}
		assertThat(current).as("run with -Ddocs.write=1 to write the page").isEqualTo(String.join("\n", written));
	}

	/**
	 * All properties by their names, with {@code example} as the id of a rule or an
	 * override.
	 */
	private static Map<String, Documented> properties() throws IOException {
		Map<String, Documented> properties = new TreeMap<>();
		for (JsonNode property : ConfigurationMetadata.properties()) {
			String name = ConfigurationMetadata.name(property);
			if (!List.of("tierlimit.rules", "tierlimit.overrides").contains(name)) {
				ResolvableType type = type(property);
				String value = defaultOf(property.path("defaultValue"));
				properties.put(name, new Documented(property.path("description").asString() + values(type),
						(value != null && isEnum(type)) ? value.replace('_', '-') : value, value != null));
			}
		}
		addAll(properties, "tierlimit.rules.example.", RuleProperties.class);
		addAll(properties, "tierlimit.overrides.example.", OverrideProperties.class);
		return properties;
	}

	/** Adds the properties of a rule or an override, which does not exist by default. */
	private static void addAll(Map<String, Documented> properties, String prefix, Class<?> type) throws IOException {
		Map<String, String> descriptions = descriptions(type);
		for (Parameter parameter : type.getDeclaredConstructors()[0].getParameters()) {
			String name = prefix + name(parameter);
			String description = Objects.requireNonNull(descriptions.get(parameter.getName()), name);
			DefaultValue annotation = parameter.getAnnotation(DefaultValue.class);
			String value = (annotation != null && annotation.value().length > 0) ? String.join(", ", annotation.value())
					: null;
			if (parameter.getType() == Map.class) {
				addAll(properties, name + ".pro.", RuleProperties.PlanProperties.class);
			}
			else if (parameter.getType().isRecord()) {
				addAll(properties, name + ".", parameter.getType());
			}
			else {
				description += values(ResolvableType.forType(parameter.getParameterizedType()))
						+ ((value != null) ? " By default " + value + "." : "");
			}
			properties.put(name, new Documented(description, value, false));
		}
	}

	private static List<String> comment(String indent, String text) {
		List<String> lines = new ArrayList<>();
		StringBuilder line = new StringBuilder(indent + "#");
		for (String word : text.split("\\s+", -1)) {
			if (line.length() + word.length() >= WIDTH) {
				lines.add(line.toString());
				line.setLength(indent.length() + 1);
			}
			line.append(' ').append(word);
		}
		lines.add(line.toString());
		return lines;
	}

	/**
	 * What the page contains of a property.
	 *
	 * @param description its comment
	 * @param value its default, or {@code null} if the page has an example
	 * @param isDefault whether the value is not commented out
	 */
	private record Documented(String description, @Nullable String value, boolean isDefault) {

	}

	/** The test above compares the page with the metadata and the records of rules. */
	@Test
	void numberOfPropertiesIsBounded() throws IOException {
		assertThat(Files.readString(PAGE).lines().filter(PROPERTY.asMatchPredicate()))
			.hasSizeLessThanOrEqualTo(MAX_PROPERTIES);
	}

	private static String name(Parameter parameter) {
		Name other = parameter.getAnnotation(Name.class);
		return (other != null) ? other.value() : DataObjectPropertyName.toDashedForm(parameter.getName());
	}

	/** Returns the values of an enum, or of a list of an enum. */
	private static String values(ResolvableType type) {
		if (!isEnum(type)) {
			return "";
		}
		return Arrays.stream(element(type).getEnumConstants())
			.map((value) -> ((Enum<?>) value).name().toLowerCase(Locale.ROOT).replace('_', '-'))
			.collect(Collectors.joining(", ", " Values: ", "."));
	}

	private static boolean isEnum(ResolvableType type) {
		return element(type).isEnum();
	}

	private static Class<?> element(ResolvableType type) {
		return (type.hasGenerics() ? type.getGeneric(0) : type).resolve(Object.class);
	}

	private static ResolvableType type(JsonNode property) {
		String name = property.path("type").asString();
		Matcher list = Pattern.compile("java\\.util\\.List<(.*)>").matcher(name);
		Class<?> type = ClassUtils.resolveClassName(list.matches() ? list.group(1) : name, null);
		return ResolvableType.forClass(type);
	}

	private static @Nullable String defaultOf(JsonNode value) {
		if (value.isArray()) {
			return value.isEmpty() ? null
					: value.values().stream().map(JsonNode::asString).collect(Collectors.joining(", "));
		}
		return value.isMissingNode() ? null : value.asString();
	}

	/** Returns the descriptions of the properties of a rule, or of a plan. */
	private static Map<String, String> descriptions(Class<?> type) throws IOException {
		String source = Files.readString((type == OverrideProperties.class) ? OVERRIDES : RULES);
		String declaration = "record " + type.getSimpleName() + "(";
		String before = source.substring(0, source.indexOf(declaration));
		String javadoc = before.substring(before.lastIndexOf("/**"));
		Map<String, String> descriptions = new HashMap<>();
		for (String tag : javadoc.substring(0, javadoc.indexOf("*/")).split("\\* @param ", -1)) {
			String[] parts = tag.split("\\s", 2);
			descriptions.put(parts[0], parts[1].replaceAll("\\s*\n\\s*\\*?\\s*", " ").strip());
		}
		return descriptions;
	}

}
