package io.tierlimit.autoconfigure.rules;

import java.io.IOException;
import java.lang.reflect.Parameter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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
import java.util.stream.Stream;

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
import org.springframework.core.io.Resource;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares docs/reference.md with the metadata of all properties. Run with the system
 * property {@code docs.write} to write the page, except for its introduction.
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

	/**
	 * 114 properties, and 2 for actual costs. Before a property is added, look for one
	 * that can be merged or inferred.
	 */
	private static final int MAX_PROPERTIES = 116;

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
			Map.entry("rule.actual-cost", "metered"), Map.entry("rule.max-debt", "1000"),
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
			Map.entry("override.key", "user:acme"), Map.entry("override.burst", "500"),
			Map.entry("override.until", "\"2030-01-31T18:00:00Z\""),
			Map.entry("override.reason", "import of all orders"), Map.entry("plan.rate", "100/s"),
			Map.entry("plan.burst", "200"), Map.entry("rule.limit", "5"), Map.entry("rule.max-duration", "1h"),
			Map.entry("rule.retry-after-hint", "5s"), Map.entry("plan.limit", "50"), Map.entry("candidate.limit", "3"),
			Map.entry("candidate.max-duration", "1h"), Map.entry("candidate.retry-after-hint", "5s"),
			Map.entry("candidate.plan.limit", "30"), Map.entry("override.limit", "20"));

	private final StringBuilder page = new StringBuilder();

	private List<String> parents = List.of();

	@Test
	void everyPropertyIsInTheReference() throws IOException {
		chapter("Rule",
				"""
						Rules are below `tierlimit.rules`, by their ids. The id is public: headers, logs and meters contain it.""");
		for (ReferenceGroup group : ReferenceGroup.RULE) {
			begin(group);
			addAll("rules", RuleProperties.class, "rule", group);
			end();
		}
		chapter("Override",
				"""
						Overrides are below `tierlimit.overrides`, by their ids. An override is for a user, an address or a key.""");
		for (ReferenceGroup group : ReferenceGroup.OVERRIDE) {
			begin(group);
			addAll("overrides", OverrideProperties.class, "override", group);
			end();
		}
		List<JsonNode> properties = new ArrayList<>(ConfigurationMetadata.properties());
		properties.removeIf((property) -> List.of("tierlimit.rules", "tierlimit.overrides")
			.contains(ConfigurationMetadata.name(property)));
		chapter("Settings that most applications look at", "These settings apply to all rules.");
		addSettings(ReferenceGroup.FREQUENT, properties);
		chapter("All other settings", "The defaults are right for most applications.");
		addSettings(ReferenceGroup.OTHER, properties);
		assertThat(properties).map(ConfigurationMetadata::name)
			.as("add these properties to a ReferenceGroup")
			.isEmpty();
		String current = Files.readString(PAGE);
		String written = current.substring(0, current.indexOf("\n## ")) + this.page;
		if (System.getProperty("docs.write") != null) {
			Files.writeString(PAGE, written);
		}
		assertThat(current).as("run with -Ddocs.write=1 to write the page").isEqualTo(written);
	}

	@Test
	void everyPropertyOfARuleOrAnOverrideIsInOneGroup() {
		assertThat(ReferenceGroup.RULE).flatMap(ReferenceGroup::properties)
			.doesNotHaveDuplicates()
			.containsAll(names(RuleProperties.class));
		assertThat(ReferenceGroup.OVERRIDE).flatMap(ReferenceGroup::properties)
			.doesNotHaveDuplicates()
			.containsAll(names(OverrideProperties.class));
	}

	private static List<String> names(Class<?> type) {
		return parameters(type).map(ConfigurationReferenceTests::name).toList();
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
		YamlPropertiesFactoryBean reader = new YamlPropertiesFactoryBean();
		reader.setResources(YAML.matcher(Files.readString(PAGE))
			.results()
			.map((block) -> new ByteArrayResource(block.group().getBytes(StandardCharsets.UTF_8)))
			.toArray(Resource[]::new));
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

	private void chapter(String title, String introduction) {
		this.page.append("\n## ").append(title).append("\n\n").append(introduction).append('\n');
	}

	private void begin(ReferenceGroup group) {
		this.page.append("\n### ").append(group.title()).append("\n\n").append(group.guide()).append("\n\n```yaml\n");
		this.parents = List.of();
	}

	private void end() {
		this.page.append("```\n");
	}

	/** Adds the settings of all groups, and removes them from the given properties. */
	private void addSettings(List<ReferenceGroup> groups, List<JsonNode> properties) {
		for (ReferenceGroup group : groups) {
			List<JsonNode> settings = properties.stream()
				.filter((property) -> group.includes(ConfigurationMetadata.name(property)))
				.sorted(Comparator.comparing(ConfigurationMetadata::name, group.order()))
				.toList();
			if (!settings.isEmpty()) {
				begin(group);
				settings.forEach(this::add);
				end();
				properties.removeAll(settings);
			}
		}
	}

	private void add(JsonNode property) {
		List<String> names = List.of(ConfigurationMetadata.name(property).split("\\.", -1));
		List<String> parents = names.subList(0, names.size() - 1);
		int open = 0;
		while (open < Math.min(parents.size(), this.parents.size())
				&& parents.get(open).equals(this.parents.get(open))) {
			open++;
		}
		for (int i = open; i < parents.size(); i++) {
			line(i, parents.get(i) + ":");
		}
		this.parents = parents;
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

	/** Adds a group of a rule or an override, which does not exist by default. */
	private void addAll(String parent, Class<?> type, String prefix, ReferenceGroup group) throws IOException {
		line(0, "#tierlimit:");
		line(1, "#" + parent + ":");
		line(2, "#example:");
		addAll(type, prefix, 3,
				parameters(type).filter((parameter) -> group.includes(name(parameter)))
					.sorted(Comparator.comparing(ConfigurationReferenceTests::name, group.order()))
					.toList());
	}

	private void addAll(Class<?> type, String prefix, int depth) throws IOException {
		addAll(type, prefix, depth, parameters(type).toList());
	}

	private void addAll(Class<?> type, String prefix, int depth, List<Parameter> parameters) throws IOException {
		Map<String, String> descriptions = descriptions(type);
		for (Parameter parameter : parameters) {
			String name = name(parameter);
			String description = Objects.requireNonNull(descriptions.get(parameter.getName()), name);
			Class<?> valueClass = parameter.getType();
			if (valueClass == Map.class) {
				comment(depth, description);
				line(depth, "#" + name + ":");
				line(depth + 1, "#pro:");
				addAll(RuleProperties.PlanProperties.class, prefix.equals("candidate") ? "candidate.plan" : "plan",
						depth + 2);
			}
			else if (valueClass.isRecord()) {
				comment(depth, description);
				line(depth, "#" + name + ":");
				addAll(valueClass, name, depth + 1);
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

	private static Stream<Parameter> parameters(Class<?> type) {
		return Arrays.stream(type.getDeclaredConstructors()[0].getParameters());
	}

	private static String name(Parameter parameter) {
		Name other = parameter.getAnnotation(Name.class);
		return (other != null) ? other.value() : DataObjectPropertyName.toDashedForm(parameter.getName());
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
		this.page.append("  ".repeat(depth)).append(text).append('\n');
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
