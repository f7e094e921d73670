package io.tierlimit.application;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.tierlimit.autoconfigure.ConfigurationMetadata;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares numbers in the documentation with constants, defaults and responses.
 */
@Tag("conventions")
class DocumentedNumbersTests {

	private static final Pattern PROPERTY = Pattern.compile("^\\| `(tierlimit\\.[\\w.-]+)`.*\\| ([^|]*) \\|$",
			Pattern.MULTILINE);

	private static final Pattern DEFAULTS = Pattern.compile("\\| default \\|\n\\|[-|]+\n((?:\\|.*\n)+)");

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					rules         | A period, and the time to refill a bucket, are at most %s days | limit.Rate#MAX_PERIOD
					rules         | needs another place for each %s entries after the first 25     | limit.BucketState#ENTRY_BLOCK
					rules         | a string of up to %s digits is a number                        | key.ExpressionValues#MAX_DIGITS
					rules         | A regular expression may read at most %s characters            | key.BoundedText#MAX_READS
					rules         | A string joined by `+` has at most %s characters               | key.ExpressionValues#MAX_LENGTH
					keys          | a number with more than %s digits                              | key.KeyText#MAX_DIGITS
					keys          | a collection with more than %s characters                      | key.KeyText#MAX_LENGTH
					keys          | addresses and plans longer than %s characters                  | key.KeyHash#MAX_PLAIN_LENGTH
					keys          | at least %s characters) is the key of the HMAC                 | key.KeyHash#MIN_SECRET_LENGTH
					algorithms    | The rate may have at most %s permits                           | limit.SlidingLog#MAX_PERMITS
					algorithms    | %s bytes per charge in Redis                                   | limit.ConsumptionLog#PACKED_ENTRY
					redis         | a value of %s bytes                                            | limit.PackedState#SIZE
					redis         | %s bytes more for each entry of a sliding log                  | limit.ConsumptionLog#PACKED_ENTRY
					redis         | are sent by up to %s threads                                   | store.redis.BlockingScriptClient#THREADS
					contributing/stores | into bytes and back: %s bytes                                  | limit.PackedState#SIZE
					contributing/stores | 73 bytes, and %s more for each entry of a sliding log          | limit.ConsumptionLog#PACKED_ENTRY
					login-protection | is answered with %s, or its response                           | option.outcome.ChargePolicy#NOT_ACCEPTABLE
					""")
	void pageHasTheValueOfTheConstant(String page, String text, String constant) throws ReflectiveOperationException {
		Object value = constant(constant);
		long number = (value instanceof Duration duration) ? duration.toDays() : ((Number) value).longValue();
		assertThat(page(page)).contains(text.formatted(String.format(Locale.ROOT, "%,d", number)));
	}

	@Test
	void largestNumberOfPermitsIsDocumented() throws ReflectiveOperationException {
		assertThat(constant("limit.Rate#MAX_PERMITS")).isEqualTo(Math.round(Math.pow(10, 12)));
		assertThat(page("rules")).contains("Rate and burst are at most 10^12 permits");
	}

	@Test
	void partOfAKeyIsHashedToTheDocumentedLength() throws ReflectiveOperationException {
		assertThat(page("keys")).contains("the first " + Byte.SIZE * (int) constant("key.KeyHash#BYTES") + " bits");
	}

	@Test
	void circuitBreakerOpensAsDocumented() throws ReflectiveOperationException {
		CircuitBreakerConfig config = (CircuitBreakerConfig) constant("store.redis.CircuitBreakers#CONFIG");
		assertThat(config.getSlidingWindowSize()).isEqualTo(10);
		assertThat(config.getFailureRateThreshold()).isEqualTo(50);
		assertThat(config.getPermittedNumberOfCallsInHalfOpenState()).isOne();
		assertThat(config.getWaitIntervalFunctionInOpenState().apply(1)).isEqualTo(1000);
		assertThat(page("redis")).contains("half of the last ten calls failed").contains("after a second, one request");
	}

	@Test
	void propertiesHaveTheDocumentedDefaults() throws IOException {
		Map<String, String> defaults = defaults();
		List<String> documented = new ArrayList<>();
		try (Stream<Path> pages = Files.list(Path.of("../../docs"))) {
			pages.filter((page) -> page.toString().endsWith(".md"))
				.flatMap((page) -> DEFAULTS.matcher(DocumentationPage.read(page)).results())
				.flatMap((table) -> PROPERTY.matcher(table.group(1)).results())
				.filter((row) -> defaults.containsKey(row.group(1)))
				.forEach((row) -> {
					documented.add(row.group(1));
					assertThat(row.group(2)).as(row.group(1)).startsWith("`" + defaults.get(row.group(1)) + "`");
				});
		}
		assertThat(documented).hasSizeGreaterThan(20);
	}

	private static Map<String, String> defaults() {
		Map<String, String> defaults = new HashMap<>();
		for (JsonNode property : ConfigurationMetadata.properties()) {
			JsonNode value = property.path("defaultValue");
			if (value.isValueNode()) {
				defaults.put(ConfigurationMetadata.name(property), value.asString());
			}
		}
		return defaults;
	}

	/**
	 * Reads a constant that is private or in an internal package, because users need the
	 * number, not the constant.
	 */
	private static Object constant(String name) throws ReflectiveOperationException {
		String[] parts = name.split("#", 2);
		Field constant = Class.forName("io.tierlimit." + parts[0]).getDeclaredField(parts[1]);
		constant.setAccessible(true);
		return Objects.requireNonNull(constant.get(null));
	}

	private static String page(String name) {
		return DocumentationPage.read(Path.of("../../docs/" + name + ".md")).replaceAll("\\s+", " ");
	}

}
