package io.tierlimit.autoconfigure.rules;

import java.io.IOException;
import java.lang.reflect.Parameter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.tierlimit.autoconfigure.ConfigurationMetadata;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.core.ResolvableType;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares the YAML of docs/reference.md with the metadata of all properties. Run with
 * the system property {@code docs.write} to write it anew.
 */
@Tag("conventions")
class ConfigurationReferenceTests {

	private static final Path PAGE = Path.of("../docs/reference.md");

	private static final Path RULES = Path.of("src/main/java/io/tierlimit/autoconfigure/rules/RuleProperties.java");

	private static final Path OVERRIDES = Path
		.of("src/main/java/io/tierlimit/autoconfigure/rules/OverrideProperties.java");

	private static final Pattern YAML = Pattern.compile("(?s)(?<=```yaml\n).*?(?=```)");

	/** A property with its default or an example, not a group or a description. */
	private static final Pattern PROPERTY = Pattern.compile("\\s*#?[a-z0-9-]+: \\S.*");

	/** Before a property is added, look for one that can be merged or inferred. */
	private static final int MAX_PROPERTIES = 104;

	private static final int WIDTH = 110;

	/** Values of properties without a default. */
	private static final Map<String, String> EXAMPLES = Map.ofEntries(
			Map.entry("client-ip.trusted-proxies", "10.0.0.0/8"), Map.entry("login-protection.path", "/login"),
			Map.entry("login-protection.per-account", "5/h"), Map.entry("login-protection.per-address", "20/h"),
			Map.entry("keys.secret", "${TIERLIMIT_KEYS_SECRET}"), Map.entry("jdbc.data-source", "dataSource"),
			Map.entry("plan.default", "free"), Map.entry("plan.key", "claim('plan')"),
			Map.entry("redis.connection-factory", "redisConnectionFactory"), Map.entry("user.key", "claim('sub')"),
			Map.entry("web.order", "-110"), Map.entry("web.authenticated-order", "-90"),
			Map.entry("web.limits-path", "/limits"), Map.entry("rule.scope", "user"), Map.entry("rule.rate", "10/s"),
			Map.entry("rule.paths", "/api/**"), Map.entry("rule.exclude-paths", "/api/status"),
			Map.entry("rule.methods", "[GET, POST]"),
			Map.entry("rule.condition", "\"!authorities.contains('ROLE_BATCH')\""), Map.entry("rule.burst", "20"),
			Map.entry("window.start", "0s"), Map.entry("rule.key", "claim('tenant')"), Map.entry("rule.cost", "1"),
			Map.entry("rule.on-store-failure", "local"), Map.entry("rule.charge-on", "[401, 403]"),
			Map.entry("rule.reset-on", "authentication-success"), Map.entry("ban.after", "20"),
			Map.entry("ban.within", "1m"), Map.entry("ban.for", "10m"), Map.entry("ban.max", "1d"),
			Map.entry("schedule.ranges", "2026-11-27T00:00/2026-12-01T00:00"),
			Map.entry("schedule.weekly", "MON-FRI 08:00-18:00"), Map.entry("schedule.zone", "Europe/Berlin"),
			Map.entry("adaptive.min-rate", "1/s"), Map.entry("adaptive.target-latency", "200ms"),
			Map.entry("adaptive.max-error-rate", "5%"), Map.entry("adaptive.signal", "connectionPool"),
			Map.entry("adaptive.recovery", "1m"), Map.entry("adaptive.resource", "database"),
			Map.entry("adaptive.priority", "0"), Map.entry("candidate.algorithm", "token-bucket"),
			Map.entry("candidate.rate", "5/s"), Map.entry("candidate.plan.rate", "50/s"),
			Map.entry("candidate.burst", "10"), Map.entry("candidate.plan.burst", "100"),
			Map.entry("override.address", "203.0.113.0/24"), Map.entry("override.user", "acme"),
			Map.entry("override.rules", "example"), Map.entry("override.rate", "100/s"),
			Map.entry("override.key", "acme"), Map.entry("override.burst", "500"),
			Map.entry("override.until", "\"2030-01-31T18:00:00Z\""),
			Map.entry("override.reason", "import of all orders"), Map.entry("plan.rate", "100/s"),
			Map.entry("plan.burst", "200"));

	private final StringBuilder yaml = new StringBuilder();

	private List<String> group = List.of();

	@Test
	void everyPropertyIsInTheReference() throws IOException {
		List<JsonNode> properties = ConfigurationMetadata.properties()
			.stream()
			.sorted(Comparator.comparing(ConfigurationMetadata::name))
			.filter((property) -> !List.of("tierlimit.rules", "tierlimit.overrides")
				.contains(ConfigurationMetadata.name(property)))
			.toList();
		properties.stream()
			.filter((property) -> ConfigurationMetadata.name(property).startsWith("tierlimit."))
			.forEach(this::add);
		line(1, "#rules:");
		comment(2, "The id of a rule, which logs, meters and headers show.");
		line(2, "#example:");
		addAll(RuleProperties.class, "rule", 3);
		line(1, "#overrides:");
		comment(2, "The id of an override.");
		line(2, "#example:");
		addAll(OverrideProperties.class, "override", 3);
		properties.stream()
			.filter((property) -> !ConfigurationMetadata.name(property).startsWith("tierlimit."))
			.forEach(this::add);
		String page = Files.readString(PAGE);
		String written = YAML.matcher(page).replaceFirst(Matcher.quoteReplacement(this.yaml.toString()));
		if (System.getProperty("docs.write") != null) {
			Files.writeString(PAGE, written);
		}
		assertThat(page).as("run with -Ddocs.write=1 to write it anew").isEqualTo(written);
	}

	/** The test above compares the page with the metadata and the records of rules. */
	@Test
	void numberOfPropertiesIsBounded() throws IOException {
		assertThat(Files.readString(PAGE).lines().filter(PROPERTY.asMatchPredicate()))
			.hasSizeLessThanOrEqualTo(MAX_PROPERTIES);
	}

	/** A configuration with a copy of the page is the same as one without. */
	@Test
	void onlyDefaultsAreNotCommentedOut() throws IOException {
		Matcher yaml = YAML.matcher(Files.readString(PAGE));
		assertThat(yaml.find()).isTrue();
		YamlPropertiesFactoryBean reader = new YamlPropertiesFactoryBean();
		reader.setResources(new ByteArrayResource(yaml.group().getBytes(StandardCharsets.UTF_8)));
		Properties properties = Objects.requireNonNull(reader.getObject());
		properties.values().removeIf(""::equals); // groups whose properties are commented
													// out
		List<String> defaults = ConfigurationMetadata.properties()
			.stream()
			.filter((property) -> defaultOf(property.path("defaultValue")) != null)
			.map(ConfigurationMetadata::name)
			.toList();
		assertThat(properties.keySet()).isNotEmpty()
			.map((name) -> name.toString().replaceFirst("\\[\\d+]$", ""))
			.allSatisfy((name) -> assertThat(defaults).contains(name));
	}

	private void add(JsonNode property) {
		List<String> names = List.of(ConfigurationMetadata.name(property).split("\\.", -1));
		List<String> parents = names.subList(0, names.size() - 1);
		int open = 0;
		while (open < Math.min(parents.size(), this.group.size()) && parents.get(open).equals(this.group.get(open))) {
			open++;
		}
		for (int i = open; i < parents.size(); i++) {
			line(i, parents.get(i) + ":");
		}
		this.group = parents;
		ResolvableType type = type(property);
		comment(parents.size(), property.path("description").asString() + values(type));
		String key = names.get(parents.size()) + ": ";
		String value = defaultOf(property.path("defaultValue"));
		if (value != null) {
			line(parents.size(), key + (isEnum(type) ? value.replace('_', '-') : value));
		}
		else {
			line(parents.size(),
					"#" + key + example(ConfigurationMetadata.name(property).replaceFirst("^tierlimit\\.", "")));
		}
	}

	/** Adds the properties of a rule or an override, none of which exists by default. */
	private void addAll(Class<?> type, String prefix, int depth) throws IOException {
		boolean ofCandidate = prefix.equals("candidate");
		Map<String, String> descriptions = descriptions(type);
		for (Parameter parameter : type.getDeclaredConstructors()[0].getParameters()) {
			Name other = parameter.getAnnotation(Name.class);
			String name = (other != null) ? other.value() : DataObjectPropertyName.toDashedForm(parameter.getName());
			String description = Objects.requireNonNull(descriptions.get(parameter.getName()), name);
			if (name.equals("plans")) {
				comment(depth, description);
				line(depth, "#plans:");
				line(depth + 1, "#pro:");
				addAll(RuleProperties.PlanProperties.class, ofCandidate ? "candidate.plan" : "plan", depth + 2);
			}
			else if (name.equals("window")) {
				comment(depth, description);
				line(depth, "#window:");
				addAll(RuleProperties.WindowProperties.class, "window", depth + 1);
			}
			else if (name.equals("ban")) {
				comment(depth, description);
				line(depth, "#ban:");
				addAll(RuleProperties.BanProperties.class, "ban", depth + 1);
			}
			else if (name.equals("candidate")) {
				comment(depth, description);
				line(depth, "#candidate:");
				addAll(RuleProperties.CandidateProperties.class, "candidate", depth + 1);
			}
			else if (name.equals("adaptive")) {
				comment(depth, description);
				line(depth, "#adaptive:");
				addAll(RuleProperties.AdaptiveProperties.class, "adaptive", depth + 1);
			}
			else if (name.equals("schedule")) {
				comment(depth, description);
				line(depth, "#schedule:");
				addAll(RuleProperties.ScheduleProperties.class, "schedule", depth + 1);
			}
			else {
				ResolvableType valueType = ResolvableType.forType(parameter.getParameterizedType());
				DefaultValue annotation = parameter.getAnnotation(DefaultValue.class);
				String value = (annotation != null) ? String.join(", ", annotation.value()) : "";
				comment(depth, description + values(valueType) + (value.isEmpty() ? "" : " By default " + value + "."));
				line(depth, "#" + name + ": " + (value.isEmpty() ? example(prefix + "." + name) : value));
			}
		}
	}

	private static String example(String property) {
		return Objects.requireNonNull(EXAMPLES.get(property), () -> "no example of " + property);
	}

	private void comment(int depth, String text) {
		StringBuilder line = new StringBuilder("#");
		for (String word : text.split("\\s+", -1)) {
			if (2 * depth + line.length() + word.length() >= WIDTH) {
				line(depth, line.toString());
				line.setLength(1);
			}
			line.append(' ').append(word);
		}
		line(depth, line.toString());
	}

	private void line(int depth, String text) {
		this.yaml.append("  ".repeat(depth)).append(text).append('\n');
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
