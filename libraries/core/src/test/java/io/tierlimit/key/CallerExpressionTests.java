package io.tierlimit.key;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.CharBuffer;
import java.security.Principal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.tierlimit.spi.Caller;
import io.tierlimit.spi.InvalidRequestValueException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class CallerExpressionTests {

	private static final Caller CALLER = SimpleCaller.at("192.0.2.1")
		.as("alice")
		.on("pro")
		.with("ROLE_USER", "PLAN_pro")
		.to("GET", "/api/{id}")
		.sending(Map.of("X-Tenant", "acme"), Map.of("n", "3"));

	private static final Map<String, Class<?>> ARGUMENTS = arguments();

	@ParameterizedTest
	@CsvSource(delimiter = ';', quoteCharacter = '"', textBlock = """
			method; GET
			path; /
			pattern; /api/{id}
			ip; 192.0.2.1
			user; alice
			user.length(); 5
			user?.toUpperCase(); ALICE
			user.trim().substring(1); lice
			user.substring(1, 3); li
			plan; pro
			authorities.contains('PLAN_pro'); true
			authorities.contains(header('X-None')); false
			authorities.size(); 2
			authorities[1]; PLAN_pro
			header('X-Tenant'); acme
			header('X-None') ?: ip; 192.0.2.1
			param('n'); 3
			method == 'PUT' ? 2 : 1; 1
			path.startsWith('/api') and user != null; false
			path.endsWith('/') && !(user == null); true
			'alice,bob'.contains(user); true
			user matches '[a-z]+'; true
			user + '-' + method; alice-GET
			'shard-' + user.length() * 2; shard-10
			-user.length() + 6; 1
			(user.length() + 14) / 10; 1
			user.length() >= 5 and user.length() <= 5; true
			user.length() >= 6; false
			user.length() <= 4; false
			(0 - user.length() - 14) / 10; -1
			(user.length() + 2147483642) * 2; 4294967294
			""")
	void readsTheCallersFacts(String expression, String value) {
		assertThat(String.valueOf(key(expression).evaluate(CALLER))).isEqualTo(value);
	}

	@Test
	void missingFactsAreNull() {
		for (String fact : List.of("method", "path", "pattern", "ip", "user", "plan", "header('a')", "param('a')",
				"requestAttribute('a')", "sessionAttribute('a')", "header('a')?.trim()?.length()", "user?.trim()")) {
			assertThat(key(fact).evaluate(SimpleCaller.ANONYMOUS)).as(fact).isNull();
		}
	}

	@Test
	void memberOfAMissingFactIsReported() {
		for (String expression : List.of("user.trim()", "user.length() > 1", "header('a')?.trim().length()")) {
			assertThat(catchThrowableOfType(ExpressionException.class,
					() -> key(expression).evaluate(SimpleCaller.ANONYMOUS))
				.isNullAccess()).as(expression).isTrue();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "usr", "usr.length()", "headers('a')", "user == unknown", "getClass()", "user()", "header",
			"method == 'GET' ? usr : ip", "argument('a')" })
	void unknownFactIsReportedWhenParsed(String expression) {
		assertThatIllegalArgumentException().isThrownBy(() -> key(expression))
			.withMessageContaining("A caller has no")
			.withMessageContaining("method, path, pattern, ip, user, plan, authorities, header('name')")
			.withMessageEndingWith("use a KeyResolver bean");
	}

	@ParameterizedTest
	@ValueSource(strings = { "method ==", "'", "user.", "(", "#", "" })
	void stringThatIsNotValidSpelIsRejected(String expression) {
		assertThatIllegalArgumentException().isThrownBy(() -> key(expression));
	}

	@Test
	void longOrDeeplyNestedExpressionIsReported() {
		for (String expression : List.of("user == 'a' or ".repeat(2000) + "true",
				"(".repeat(4900) + "1" + ")".repeat(4900))) {
			assertThatIllegalArgumentException().isThrownBy(() -> key(expression))
				.withMessageStartingWith("'" + expression.substring(0, 50))
				.withMessageContaining("is not a valid SpEL expression: ")
				.satisfies((failure) -> assertThat(failure.getMessage()).hasSizeLessThan(300));
		}
	}

	/** The message names the part that is not supported, not the whole expression. */
	@ParameterizedTest
	@CsvSource(delimiter = ';', quoteCharacter = '"', commentCharacter = '~',
			textBlock = """
					T(java.lang.Runtime).getRuntime(); 'T(java.lang.Runtime)'
					new java.io.File('/'); 'new java.io.File('/')'
					@bean; '@bean'
					user = 'root'; 'user='root''
					authorities[0] = 'PLAN_pro'; PLAN_pro
					#items.size(); '#items'
					#root.user; '#root'
					#this; '#this'
					ip ?: 2 ^ user.length(); '(2 ^ user.length())'
					user.length() % 16; '(user.length() % 16)'
					user.length() + 0.5; '0.5'
					1.5f; '1.5'
					+user.length(); is not supported
					authorities.?[#this == 'A'].size(); is not supported
					authorities.![length()]; is not supported
					authorities.^[true]; is not supported
					{'a', 'b'}.contains(user); '{'a','b'}'
					{'a': 1}; is not supported
					user between {'a', 'b'}; '{'a','b'}'
					user instanceof ip; is not supported
					user++; is not supported
					header(user); 'header(user)' is not supported in an expression, because its name is not a constant
					header(); because its name is not a constant
					header('a', 'b'); because its name is not a constant
					user[0]; because a java.lang.String lacks it
					authorities[user]; '[user]'
					claim('a').#name; '#name' is not supported in an expression, because a java.lang.Object lacks it
					claim('a').#name(); is not supported in an expression
					user.repeat(2); 'repeat(2)' is not supported in an expression, because a java.lang.String lacks it
					user.class; 'class' is not supported in an expression, because a java.lang.String lacks it
					user.getClass(); 'getClass()' is not supported in an expression, because a java.lang.String lacks it
					user.hashCode(); 'hashCode()' is not supported in an expression, because a java.lang.String lacks it
					user.toString(); 'toString()' is not supported in an expression, because a java.lang.String lacks it
					user.nam; 'nam' is not supported in an expression, because a java.lang.String lacks it
					user.size(); 'size()' is not supported in an expression, because a java.lang.String lacks it
					user.substring(); 'substring()' is not supported in an expression, because a java.lang.String lacks it
					user.replaceAll('a', 'b'); 'replaceAll('a','b')' is not supported in an expression, because a java.lang.String lacks it
					user.split(','); 'split(',')' is not supported in an expression, because a java.lang.String lacks it
					path.startWith('/'); 'startWith('/')' is not supported in an expression, because a java.lang.String lacks it
					authorities.contain('A'); 'contain('A')' is not supported in an expression, because a java.util.List lacks it
					authorities.clear(); 'clear()' is not supported in an expression, because a java.util.List lacks it
					authorities.stream().count(); 'stream()' is not supported in an expression, because a java.util.List lacks it
					(user ?: ip).nam; 'nam' is not supported in an expression, because a java.lang.String lacks it
					claim('a').b(1); 'b(1)' is not supported in an expression, because a java.lang.Object lacks it
					user.length().intValue(); 'intValue()' is not supported in an expression, because a java.lang.Integer lacks it
					user.orElse('a'); 'orElse('a')' is not supported in an expression, because a java.lang.String lacks it
					""")
	void anyOtherPartIsReportedByItsName(String expression, String part) {
		for (ExpressionUse use : ExpressionUse.values()) {
			assertThatIllegalArgumentException().as(use.name())
				.isThrownBy(() -> CallerExpression.parse(expression, use, Map.of()))
				.withMessageContaining(part)
				.withMessageContaining(" is not supported in an expression")
				.withMessageEndingWith(use.alternative);
		}
	}

	@Test
	void messageNamesWhatToUseInstead() {
		assertThat(ExpressionUse.KEY.alternative).isEqualTo("use a KeyResolver bean");
		assertThat(ExpressionUse.USER.alternative).contains("name of the principal");
		assertThat(ExpressionUse.PLAN.alternative).contains("PlanResolver bean");
		assertThat(ExpressionUse.CONDITION.alternative).contains("KeyResolver bean", "on-missing-key: skip");
		assertThat(ExpressionUse.COST.alternative).contains("RateLimiter bean");
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';', quoteCharacter = '"', commentCharacter = '%',
			textBlock = """
					#name.size(); 'size()' is not supported in an expression, because a java.lang.String lacks it
					#order.idd; 'idd' is not supported in an expression, because a io.tierlimit.key.CallerExpressionTests$Order lacks it
					#order.item.nam; 'nam' is not supported in an expression, because a io.tierlimit.key.CallerExpressionTests$Item lacks it
					#order.item(1); 'item(1)' is not supported in an expression, because a io.tierlimit.key.CallerExpressionTests$Order lacks it
					#order.hashCode(); 'hashCode()' is not supported in an expression, because a
					#pet.bark(); 'bark()' is not supported in an expression, because a io.tierlimit.key.CallerExpressionTests$Pet lacks it
					#map.size(); 'size()' is not supported in an expression, because a java.util.Map lacks it
					#amount.toBigInteger(); 'toBigInteger()' is not supported in an expression, because a java.math.BigDecimal lacks it
					#count.intValue(); 'intValue()' is not supported in an expression, because a
					#name - 1; '#name' is a java.lang.String, but an operand
					#name matches #name; a pattern that is not a constant
					#name.contains(#name); an argument that is not a constant
					#any.contains(#name); an argument that is not a constant
					#amount * 2; '#amount' is a java.math.BigDecimal, but an operand must be a whole number
					#none; '#none' is not supported in an expression, because the known arguments are [name, order
					""")
	void typesOfArgumentsAreChecked(String expression, String problem) {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> CallerExpression.parse(expression, ExpressionUse.KEY, ARGUMENTS))
			.withMessageContaining(problem);
	}

	@ParameterizedTest
	@ValueSource(strings = { "#order.id", "#order.id()", "#order.item.name.trim()", "#order.items.size()",
			"#order.items[0].name", "#order.any.thing", "#principal.name", "#numbers.length", "#numbers[0]",
			"#names.contains(#name)", "#count + 1", "#flag ? 1 : 2", "#name.substring(#count + 1)", "#limit.orElse(10)",
			"#limit ?: 10", "#amount", "#letter == 'a'" })
	void membersOfArgumentsAreAllowed(String expression) {
		assertThat(CallerExpression.parse(expression, ExpressionUse.KEY, ARGUMENTS)).isNotNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "#sealed", "#pet", "#order", "#order.item", "#map" })
	void valueThatCannotBeAKeyIsReported(String key) {
		assertThatIllegalArgumentException().isThrownBy(() -> CallerExpression.parse(key, ExpressionUse.KEY, ARGUMENTS))
			.withMessageContaining("but a key must be a string, a number, or a list of them");
		assertThat(CallerExpression.parse(key + " == null", ExpressionUse.KEY, ARGUMENTS)).isNotNull();
	}

	@Test
	void accessorsAreReadByTheClassOfTheValue() {
		Order order = new Order(7, new Item(1, "a"), List.of(new Item(2, "b")), "x");
		assertThat(value("#n.id + #n.item().id", order)).isEqualTo(8L);
		assertThat(value("#n.items[0].name", order)).isEqualTo("b");
		assertThat(value("#n.name", new Bean())).isEqualTo("bean");
		assertThat(value("#n.active", new Bean())).isEqualTo(true);
		assertThat(value("#n.getName()", new Bean())).isEqualTo("bean");
		assertThat(value("#n.name", (Principal) () -> "carol")).isEqualTo("carol");
		assertThat(value("#n.length", new int[] { 1, 2 })).isEqualTo(2);
		assertThat(value("#n[1]", new int[] { 1, 2 })).isEqualTo(2);
		assertThat(value("#n.contains(2)", new int[] { 1, 2 })).isEqualTo(true);
		assertThat(value("#n.contains(2)", List.of(1L, 2L))).isEqualTo(true);
		assertThat(value("#n.orElse(10)", Optional.empty())).isEqualTo(10);
		assertThat(value("#n.orElse(10)", Optional.of(3))).isEqualTo(3);
		assertThat(value("#n ?: 10", Optional.empty())).isEqualTo(10);
		assertThat(value("#n == 'a'", 'a')).isEqualTo(true);
		assertThat(value("#n.length()", CharBuffer.wrap("abc"))).isEqualTo(3);
	}

	@ParameterizedTest
	@ValueSource(strings = { "#n.class", "#n.getClass()", "#n.notify()", "#n.nam", "#n.size()", "#n[0]", "#n - 1",
			"#n > 1", "#n and true", "#n ? 1 : 2", "#n matches 'a'", "!#n", "#n.startsWith('a')", "-#n" })
	void memberThatAValueDoesNotHaveFails(String expression) {
		for (Object value : List.of(new Bean(), new BigDecimal("1E+50000000"), new Pet())) {
			assertThatExceptionOfType(ExpressionException.class).as(value.getClass().getName())
				.isThrownBy(() -> value(expression, value));
		}
	}

	@Test
	void constantExpressionReadsNoFacts() {
		assertThat(key("-1").facts()).isEmpty();
		assertThat(key("1 + 2").facts()).isEmpty();
		assertThat(key("user == null ? 1 : 2").facts()).hasSize(1);
		assertThat(key("header('a') + header('b') + header('a')").facts()).containsExactlyInAnyOrder(
				new ExpressionFact.Reference(ExpressionFact.HEADER, "a"),
				new ExpressionFact.Reference(ExpressionFact.HEADER, "b"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			user                                    | true  | false
			plan == 'pro' ? 1 : 2                   | true  | false
			!authorities.contains('A')              | true  | false
			claim('a')                              | true  | false
			requestAttribute('a')                   | true  | false
			sessionAttribute('a') ?: ip             | true  | false
			header('user')                          | false | true
			param('plan').trim()                    | false | true
			user == null ? 'a' : param('n')         | true  | true
			user.startsWith(header('a'))            | true  | true
			ip + pattern + method + path            | false | false
			""")
	void identityAndClientSuppliedValuesAreRecognized(String expression, boolean identity, boolean sent) {
		assertThat(key(expression).reads(ExpressionFact.IDENTITY)).isEqualTo(identity);
		assertThat(key(expression).reads(ExpressionFact.MINIMUM_COST)).isEqualTo(sent);
	}

	@ParameterizedTest
	@EnumSource(ExpressionFact.class)
	void everyFactIsRead(ExpressionFact fact) {
		CallerExpression parsed = CallerExpression.parse(fact.toString(),
				ExpressionFact.FINISHED.contains(fact) ? ExpressionUse.ACTUAL_COST : ExpressionUse.KEY,
				Map.of("name", Object.class));
		assertThat(parsed.facts()).singleElement().extracting(ExpressionFact.Reference::fact).isEqualTo(fact);
	}

	@Test
	void factsOfTheEndAreKnownOnlyToActualCosts() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> CallerExpression.parse("status", ExpressionUse.COST, Map.of()))
			.withMessageStartingWith("A caller has no fact 'status'. The facts are [method, ")
			.withMessageNotContaining("metered");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> CallerExpression.parse("bytes", ExpressionUse.ACTUAL_COST, Map.of()))
			.withMessageStartingWith("A request has no fact 'bytes'. The facts are [method, ")
			.withMessageContaining("responseBytes, metered]; for others, report the cost from code");
	}

	@Test
	void numbersOfAllTypesAreComparedByTheirValue() {
		for (Object five : List.of(5, 5L, (short) 5, (byte) 5, 5.0, 5.0f, new BigDecimal("5.00"), new BigDecimal("5E0"),
				new BigInteger("5"))) {
			assertThat(value("#n == 5", five)).as(five.getClass().getName()).isEqualTo(true);
			assertThat(value("#n != 5", five)).isEqualTo(false);
			assertThat(value("#n == 6", five)).isEqualTo(false);
			assertThat(value("#n.contains(5)", List.of("a", five))).isEqualTo(true);
			assertThat(value("#n == 'a' or #n == null or #n == true", five)).isEqualTo(false);
		}
		assertThat(value("#n == 5", 5.5)).isEqualTo(false);
		assertThat(value("#n[0] == #n[1]", List.of(0.1, new BigDecimal("0.10")))).isEqualTo(true);
		assertThat(value("#n[0] == #n[1]", List.of(Long.MAX_VALUE, (double) Long.MAX_VALUE))).isEqualTo(false);
	}

	@Test
	void numberWithoutAFiniteValueEqualsNoNumber() {
		for (Object number : List.of(Double.NaN, Float.NaN, Double.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY)) {
			assertThat(value("#n == #n", number)).isEqualTo(false);
			assertThat(value("#n == 5", number)).isEqualTo(false);
			assertThat(value("#n != 5", number)).isEqualTo(true);
		}
	}

	/** Otherwise a condition would be false, and its rule would not apply. */
	@Test
	void numberOfAnotherTypeCannotBeCompared() {
		for (String text : List.of("#n == 5", "#n != 5", "#n == #n")) {
			assertThatExceptionOfType(ExpressionException.class).isThrownBy(() -> value(text, new AtomicInteger(5)))
				.withMessageContaining("AtomicInteger");
		}
	}

	@Test
	void keysOfEqualValuesAreEqual() {
		for (String expression : List.of("#n", "'a' + #n", "#n + 'a'", "header('x') ?: #n")) {
			assertThat(text(expression, new BigDecimal("1.0"))).isEqualTo(text(expression, new BigDecimal("1E0")))
				.isEqualTo(text(expression, 1));
			assertThat(text(expression, new byte[] { 1, 2 })).isEqualTo(text(expression, new byte[] { 1, 2 }))
				.contains("[1, 2]");
			assertThatExceptionOfType(ExpressionException.class).isThrownBy(() -> text(expression, new Object()));
			assertThatExceptionOfType(ExpressionException.class)
				.isThrownBy(() -> text(expression, List.of(new Object())));
			assertThatExceptionOfType(ExpressionException.class).isThrownBy(() -> text(expression, new Item(1, "a")));
		}
		assertThat(text("#n", Optional.empty())).isNull();
		assertThat(text("#n", Optional.of("a"))).isEqualTo("a");
	}

	@Test
	void reasonOfAFailureNamesNoValue() {
		for (String expression : List.of("#n.toInt()", "#n[0]", "#n and true", "#n.substring(#n)", "#n * 2",
				"#n.substring(99)", "#n.throwing")) {
			for (Object value : List.of("s3cret", new Bean())) {
				String message = String.valueOf(
						catchThrowableOfType(ExpressionException.class, () -> value(expression, value)).getMessage());
				assertThat(message).as(expression).isNotBlank().doesNotContain("s3cret");
			}
		}
		assertThat(catchThrowableOfType(ExpressionException.class, () -> value("#n.substring(9)", "a")))
			.hasMessage("StringIndexOutOfBoundsException");
		assertThat(catchThrowableOfType(ExpressionException.class, () -> value("#n * #n", Long.MAX_VALUE)))
			.hasMessage("java.lang.ArithmeticException: long overflow");
	}

	@Test
	void invalidRequestValueOfAnAccessorIsNotWrapped() {
		assertThatExceptionOfType(InvalidRequestValueException.class).isThrownBy(() -> value("#n.invalid", new Bean()));
	}

	private static CallerExpression key(String text) {
		return CallerExpression.parse(text, ExpressionUse.KEY, Map.of());
	}

	private static @Nullable Object value(String expression, Object argument) {
		return CallerExpression.parse(expression, ExpressionUse.KEY, Map.of("n", Object.class))
			.evaluate(Arguments.of("n", argument));
	}

	private static @Nullable String text(String expression, Object argument) {
		return CallerExpression.parse(expression, ExpressionUse.KEY, Map.of("n", Object.class))
			.evaluateKey(Arguments.of("n", argument));
	}

	/** The arguments of a handler. */
	record Order(int id, Item item, List<Item> items, Object any) {

	}

	/** A part of an order. */
	record Item(long id, String name) {

	}

	/** A type with getters, which is not public. */
	static class Bean {

		public String getName() {
			return "bean";
		}

		public boolean isActive() {
			return true;
		}

		public String getThrowing() {
			throw new IllegalStateException("s3cret");
		}

		public String getInvalid() {
			throw new IllegalStateException(new InvalidRequestValueException("malformed", null));
		}

	}

	/** A type that applications can extend. */
	static class Pet {

	}

	/** A final type without its own {@code toString()}. */
	static final class Sealed {

	}

	@SuppressWarnings("unused")
	private static void handle(String name, Order order, Principal principal, Map<String, Item> map, int[] numbers,
			List<String> names, Integer count, BigDecimal amount, boolean flag, char letter, Optional<Integer> limit,
			Object any, Pet pet, Sealed sealed) {
	}

	private static Map<String, Class<?>> arguments() {
		Map<String, Class<?>> types = new LinkedHashMap<>();
		Stream.of(CallerExpressionTests.class.getDeclaredMethods())
			.filter((method) -> method.getName().equals("handle"))
			.flatMap((method) -> Stream.of(method.getParameters()))
			.forEach((parameter) -> types.put(parameter.getName(), parameter.getType()));
		return types;
	}

}
