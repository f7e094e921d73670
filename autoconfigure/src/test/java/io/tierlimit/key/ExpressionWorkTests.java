package io.tierlimit.key;

import java.math.BigInteger;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

import io.tierlimit.spi.Caller;
import io.tierlimit.spi.InvalidFactException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.core.ResolvableType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

/**
 * Expressions whose time would grow faster than the client-supplied values.
 */
class ExpressionWorkTests {

	private static final Map<String, ResolvableType> TYPES = Map.of("name", ResolvableType.forClass(String.class),
			"builder", ResolvableType.forClass(StringBuilder.class), "any", ResolvableType.forClass(Object.class),
			"count", ResolvableType.forClass(int.class), "letter", ResolvableType.forClass(char.class), "names",
			ResolvableType.forClassWithGenerics(List.class, String.class), "allowed",
			ResolvableType.forClassWithGenerics(Set.class, String.class), "prices",
			ResolvableType.forClassWithGenerics(Map.class, String.class, Integer.class), "orders",
			ResolvableType.forClassWithGenerics(List.class, Order.class), "number",
			ResolvableType.forClass(BigInteger.class));

	@ParameterizedTest
	@ValueSource(strings = { "header('a').contains(header('b'))", "param('a').indexOf(param('b'))",
			"path.lastIndexOf(user)", "header('a').indexOf(header('b'), 1)", "#name.contains(#name)",
			"header('a').contains(#any)", "#name.contains(#names[0])", "#any.?[contains(#name)]",
			"#builder.indexOf(#name)", "user.contains(header('a').trim())", "user.contains('a' + header('a'))",
			"header('a').replace('a', header('b'))", "header('a').splitWithDelimiters(header('b'), 0)",
			"header('a').split(header('b'))", "user.replaceAll(header('a'), '')", "user.replaceFirst('a', header('a'))",
			"'abc'.matches(header('a'))", "'abc'.replace(header('a'), header('b'))",
			"{header('a')}[0].matches(header('b'))", "#prices['a'].matches(#name)", "(user ?: #any).split(#name)",
			"header('a') matches header('b')" })
	void argumentThatMustBeConstantStopsStartup(String expression) {
		for (CallerExpression parsed : parsed(expression)) {
			assertThatIllegalArgumentException().isThrownBy(() -> parsed.check(TYPES))
				.withMessageContaining("not a constant")
				.withMessageContaining("Write a constant");
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';', quoteCharacter = '"', textBlock = """
			2 ^ 3; is a power
			header('a').length() ^ header('b').length(); is a power
			authorities.![length() ^ 2]; is a power
			header('a').repeat(header('b').length()); is not supported in an expression
			header('a').indent(header('b').length()); is not supported in an expression
			header('a').formatted(header('b')); is not supported in an expression
			""")
	void unboundedWorkStopsStartup(String expression, String problem) {
		assertThatIllegalArgumentException().isThrownBy(() -> CallerExpression.parse(expression))
			.withMessageContaining(problem);
		assertThatIllegalArgumentException().isThrownBy(() -> CallerExpression.parseCost(expression, List.of()))
			.withMessageContaining(problem);
	}

	@ParameterizedTest
	@ValueSource(strings = { "#name.repeat(2)", "#name.indent(2)", "#name.formatted('a')", "#number.pow(2)",
			"#number.shiftLeft(2)", "#number.not()", "#number.not" })
	void unboundedWorkFailsIfTheTypeIsKnownOnlyAtTheRequest(String expression) {
		CallerExpression parsed = CallerExpression.parse(expression, List.of("name", "number"));
		Caller caller = new Arguments(Map.of("name", "a", "number", BigInteger.TEN));
		assertThatExceptionOfType(ExpressionException.class).isThrownBy(() -> parsed.evaluate(caller));
	}

	@Test
	void joinedTextIsBounded() {
		String half = "a".repeat(50_000);
		assertThat(of("#name + #name", half)).isEqualTo(half + half);
		assertThatExceptionOfType(InvalidFactException.class).isThrownBy(() -> of("#name + #name + 'a'", half));
		assertThatExceptionOfType(ExpressionException.class)
			.isThrownBy(() -> of("#name.concat(#name + #name + 'a')", half));
	}

	@ParameterizedTest
	@ValueSource(strings = { "header('a').contains('b')", "'a,b'.contains(header('a'))", "('a' + 'b').indexOf(user)",
			"{'a', 'b'}.contains(header('a'))", "authorities.contains(header('a'))", "#names.contains(#name)",
			"#allowed.contains(#name)", "user.indexOf('@', user.indexOf('.'))", "#name.indexOf(#letter)",
			"#name.replace(#letter, 'b')", "header('a').startsWith(header('b'))", "header('a').endsWith(#name)",
			"header('a').startsWith(header('b'), 1)", "header('a').compareTo(header('b'))",
			"header('a').equalsIgnoreCase(header('b'))", "header('a').regionMatches(0, header('b'), 0, 3)",
			"header('a').concat(header('b'))", "claim('groups').contains(header('a'))", "#any.contains(#name)",
			"#name.split(',', #count)", "#prices.replace(#name, 1)" })
	void linearWorkIsAllowed(String expression) {
		CallerExpression parsed = CallerExpression.parse(expression, TYPES.keySet());
		assertThat(parsed.check(TYPES)).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "#names.![#root.header('a').trim()]", "#names.![#root.user.length()]",
			"#names.![#root.user.trim]", "#names.?[#names.contains(#this)]", "#names.![#names.?[#this == 'a']]",
			"#names.![#names.![#this]]", "#names.![#this + #name]", "#names.![concat(#name)]",
			"#names.![matches(#root.user)]", "#names.![#name + 'a']", "#names.?[#name == #root.user]",
			"#names.?[#name matches 'a*']", "#names.![(#name ?: #this).trim()]",
			"header('a').split(',').?[#root.user.contains('a')]", "#names.?[#name between {'a', 'b'}]",
			"#names.^[#any.test(#this)]", "#names.$[#name.contains('a')]", "#orders.![names.![#root.user.trim()]]" })
	void workForEachElementOnAnotherValueStopsStartup(String expression) {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> CallerExpression.parse(expression, TYPES.keySet()).check(TYPES))
			.withMessageContaining("for each element");
	}

	@ParameterizedTest
	@ValueSource(strings = { "#names.?[#this == #name].size()", "#names.?[#this == #root.user].size()",
			"#orders.?[owner == #root.header('a')].size()", "#orders.?[owner.equals(#root.user)].size()",
			"#names.?[startsWith(#name)].size()", "#names.?[#allowed.contains(#this)].size()",
			"#names.![#prices[#this]]", "#names.![#prices.get(#this)]", "#names.![trim().toUpperCase()]",
			"#orders.![names.![length()]]", "#orders.?[names.contains(#name)].size()", "#orders.?[id > #count].size()",
			"authorities.?[#this == 'PLAN_' + #root.plan].size()", "{'a', 'b'}.?[#root.user.startsWith(#this)].size()",
			"#names.![#this + '!']", "#names.?[#this == (#name ?: 'a')].size()" })
	void workForEachElementOnTheElementIsAllowed(String expression) {
		CallerExpression parsed = CallerExpression.parse(expression, TYPES.keySet());
		assertThat(parsed.check(TYPES)).isEmpty();
	}

	/** Without a bound, each of these would take minutes. */
	@ParameterizedTest
	@ValueSource(strings = { "#any.contains(#part)", "#map['text'].indexOf(#part)", "#map['text'].lastIndexOf(#part)",
			"#list.containsAll(#others)", "#map['list'].containsAll(#others)", "#long matches '(a+)+b'",
			"#long.matches('(a+)+b')", "#long.split('(a+)+b').length", "#long.replaceAll('(a+)+b', '')",
			"#long.replaceFirst('(a+)+b', '')", "#any.replaceAll('(?=(.*))', '$1').length()",
			"#number.compareTo(#digits)", "#any.matches('(a|b)*c')", "#any matches '(a|b)*c'" })
	void workThatDependsOnTypesOfARequestIsBounded(String expression) {
		String text = "a".repeat(2_000_000);
		Map<String, Object> arguments = new LinkedHashMap<>();
		arguments.put("any", text);
		arguments.put("part", "a".repeat(1_000_000) + "b");
		arguments.put("long", "a".repeat(5_000));
		arguments.put("digits", "9".repeat(20_000_000));
		arguments.put("number", BigInteger.TEN);
		arguments.put("list", IntStream.range(0, 300_000).mapToObj(String::valueOf).toList());
		arguments.put("others", Collections.nCopies(1_000_000, "299999"));
		arguments.put("map", Map.of("text", text, "list", arguments.get("list")));
		CallerExpression parsed = CallerExpression.parse(expression, arguments.keySet());
		CallerExpression cost = CallerExpression.parseCost(expression, arguments.keySet());
		for (CallerExpression each : List.of(parsed, cost)) {
			assertTimeoutPreemptively(Duration.ofSeconds(60),
					() -> assertThat(catchThrowable(() -> each.evaluate(new Arguments(arguments))))
						.isInstanceOfAny(InvalidFactException.class, ExpressionException.class));
		}
	}

	@Test
	void boundedMethodsReturnTheSameAsWithoutABound() {
		assertThat(of("#name.matches('[a-c,]+')", "a,b,c")).isEqualTo("a,b,c".matches("[a-c,]+"));
		for (String text : List.of("a,b,,c,,", "", ",", "abc")) {
			for (String pattern : List.of(",", ",+", "")) {
				assertThat(of("#name.split('" + pattern + "')", text)).isEqualTo(text.split(pattern));
				assertThat(of("#name.split('" + pattern + "', 2)", text)).isEqualTo(text.split(pattern, 2));
				assertThat(of("#name.split('" + pattern + "', -1)", text)).isEqualTo(text.split(pattern, -1));
			}
			assertThat(of("#name.replaceAll('(b)|,', '[$1]')", text)).isEqualTo(text.replaceAll("(b)|,", "[$1]"));
			assertThat(of("#name.replaceFirst(',', '$0;')", text)).isEqualTo(text.replaceFirst(",", "$0;"));
			assertThat(of("#name.contains(',')", text)).isEqualTo(text.contains(","));
			assertThat(of("#name.hashCode()", text)).isEqualTo(text.hashCode());
		}
		assertThatExceptionOfType(ExpressionException.class).isThrownBy(() -> of("#name.split()", "a"));
	}

	@Test
	void setFindsAnyNumberOfElements() {
		List<Integer> numbers = IntStream.range(0, 10_000).boxed().toList();
		CallerExpression parsed = CallerExpression.parse("#all.containsAll(#some)", List.of("all", "some"));
		assertThat(parsed.evaluate(new Arguments(Map.of("all", Set.copyOf(numbers), "some", numbers)))).isEqualTo(true);
	}

	private static @Nullable Object of(String expression, String name) {
		return CallerExpression.parse(expression, List.of("name")).evaluate(new Arguments(Map.of("name", name)));
	}

	private static List<CallerExpression> parsed(String expression) {
		if (!expression.contains("#")) {
			assertThatIllegalArgumentException().isThrownBy(() -> CallerExpression.parse(expression))
				.withMessageContaining("Write a constant");
			assertThatIllegalArgumentException().isThrownBy(() -> CallerExpression.parseCondition(expression))
				.withMessageContaining("Write a constant");
			assertThatIllegalArgumentException().isThrownBy(() -> CallerExpression.parseCost(expression, List.of()))
				.withMessageContaining("Write a constant");
			return List.of();
		}
		return List.of(CallerExpression.parse(expression, TYPES.keySet()),
				CallerExpression.parseCost(expression, TYPES.keySet()));
	}

	private record Arguments(Map<String, Object> values) implements Caller {

		@Override
		public @Nullable Object argument(String name) {
			return this.values.get(name);
		}

	}

	/** The arguments of a handler. */
	public record Order(int id, String owner, List<String> names) {

	}

}
