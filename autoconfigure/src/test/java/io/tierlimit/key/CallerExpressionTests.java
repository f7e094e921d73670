package io.tierlimit.key;

import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.security.Principal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

import io.tierlimit.spi.Caller;
import io.tierlimit.spi.InvalidFactException;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.core.ResolvableType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

class CallerExpressionTests {

	private static final Caller CALLER = SimpleCaller.at("192.0.2.1")
		.as("alice")
		.on("pro")
		.with("ROLE_USER", "PLAN_pro")
		.to("GET", "/api/{id}")
		.sending(Map.of("X-Tenant", "acme"), Map.of("n", "3"));

	private static final Map<String, ResolvableType> ARGUMENTS = arguments();

	@ParameterizedTest
	@CsvSource(delimiter = ';', textBlock = """
			method; GET
			path; /
			pattern; /api/{id}
			ip; 192.0.2.1
			user; alice
			user.length(); 5
			user?.toUpperCase(); ALICE
			plan; pro
			authorities.contains('PLAN_pro'); true
			authorities.?[startsWith('ROLE_')].size(); 1
			authorities.?[#this == 'PLAN_pro'].size(); 1
			header('X-Tenant'); acme
			header('X-None') ?: ip; 192.0.2.1
			param('n'); 3
			method == 'PUT' ? 2 : 1; 1
			path.startsWith('/api') and user != null; false
			user.concat(method); aliceGET
			""")
	void readsTheCallersFacts(String expression, String value) {
		assertThat(String.valueOf(CallerExpression.parse(expression).evaluate(CALLER))).isEqualTo(value);
	}

	@Test
	void missingFactsAreNull() {
		for (String fact : List.of("method", "path", "pattern", "ip", "user", "plan", "header('a')", "param('a')")) {
			assertThat(CallerExpression.parse(fact).evaluate(SimpleCaller.ANONYMOUS)).as(fact).isNull();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "usr", "usr.length()", "headers('a')", "user.concat(metod)", "user == unknown",
			"getClass()", "method == 'GET' ? usr : ip" })
	void unknownFactIsReportedWhenParsed(String expression) {
		assertThatIllegalArgumentException().isThrownBy(() -> CallerExpression.parse(expression))
			.withMessageContaining("A caller has no")
			.withMessageContaining("method, path, pattern, ip, user, plan, authorities");
	}

	@ParameterizedTest
	@ValueSource(strings = { "method ==", "'", "user.", "(", "#", "" })
	void textThatIsNotValidSpelIsRejected(String expression) {
		assertThatIllegalArgumentException().isThrownBy(() -> CallerExpression.parse(expression));
	}

	@ParameterizedTest
	@ValueSource(strings = { "T(java.lang.Runtime).getRuntime()", "new java.io.File('/')", "@bean", "user = 'root'",
			"authorities[0] = 'PLAN_pro'", "#items.size()", "user.concat(T(java.lang.Math).random())" })
	void unsupportedExpressionIsRejectedWhenParsed(String expression) {
		assertThatIllegalArgumentException().isThrownBy(() -> CallerExpression.parse(expression))
			.withMessageContaining("is not supported in an expression");
	}

	@Test
	void constantExpressionIsRecognized() {
		assertThat(CallerExpression.parse("-1").isConstant()).isTrue();
		assertThat(CallerExpression.parse("1 + 2").isConstant()).isTrue();
		assertThat(CallerExpression.parse("user == null ? 1 : 2").isConstant()).isFalse();
		assertThat(CallerExpression.parse("header('a')").isConstant()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "user.class.forName('java.lang.Runtime')", "user.getClass()", "user.nam",
			"path.startWith('/')", "header('a').toInt()", "authorities.contain('A')", "authorities[0].nam",
			"authorities.?[startWith('A')].size()", "authorities.![nam]", "(user ?: ip).nam", "user.toUpperCase().nam",
			"user?.nam", "user.substring()", "header('a').concat(user.nam)", "claim('a')[user.nam]",
			"authorities.^[true].nam", "header('a', 'b')" })
	void unknownMemberOfAFactIsReportedWhenParsed(String expression) {
		assertThatIllegalArgumentException().isThrownBy(() -> CallerExpression.parse(expression));
	}

	@ParameterizedTest
	@ValueSource(strings = { "user.length", "user.bytes.length", "user.empty", "user?.trim()?.isEmpty()",
			"authorities.get(0).length()", "authorities.size", "authorities[0][0]", "claim('a').b.c(1).d",
			"claim('a')['b'].c", "user.split(',')[0].trim()", "user.split(',').length", "user.toCharArray()[0]",
			"user.indexOf('a')", "user.indexOf('a', 1)", "user.codePoints().count()", "user.compareTo(ip)",
			"authorities.stream().count()", "authorities.![length()]", "authorities.?[matches('A.*')].size()",
			"user.substring(0, user.indexOf('@') + 1)", "user.concat('a' + authorities.size())", "{'a', 'b'}.size()",
			"{'a', 'b'}.contains(user)", "user matches 'a.*'", "user.matches('a.*')", "#root.user.length()",
			"#this.user.length()", "'abc'.length()", "user.hashCode() % 16", "authorities.toString()",
			"authorities.hashCode() % 16", "authorities.equals({'a'})" })
	void memberThatMayExistIsNotRejected(String expression) {
		assertThat(CallerExpression.parse(expression)).isNotNull();
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';', quoteCharacter = '"', commentCharacter = '%', textBlock = """
			#name.size(); does not exist: java.lang.String has no public method 'size' with 0 arguments
			#order.idd; Order has no public property 'idd'
			#order.item.nam; has no public property 'nam'
			#order.items[0].nam; has no public property 'nam'
			#order.items.![nam]; has no public property 'nam'
			#order.items.?[nam == 'a'].size(); has no public property 'nam'
			#order.itemsByName['a'].id; ""
			#order.id; ""
			#order.id(); ""
			#order.item.name.trim(); ""
			#order.items.size(); ""
			#order.items[0].name; ""
			#order.items.?[name == 'a'].size(); ""
			#order.any.thing; ""
			#order.generic.thing; ""
			#principal.authorities; ""
			#map.key; ""
			#map['key'].id; ""
			#numbers.length; ""
			#numbers[0]; ""
			#count + 1; ""
			#count.intValue(); 'intValue()' of a java.lang.Integer is not supported in an expression
			#amount.toBigInteger(); not supported in an expression
			#amount.signum(); ""
			#amount > 5; ""
			#name.substring(#count + 1); ""
			#name.substring(#amount + 1); calculates in an argument
			#name.substring(#map['a'] - 1); calculates in an argument
			#name.repeat(#count); not supported in an expression
			#name.split(#name); has an argument that is not a constant
			#name matches #name; has a pattern that is not a constant
			#name matches '[a-z]+'; ""
			#router.split(#name); ""
			#name - 1; calculates with a value that is not a number
			""")
	void typesOfArgumentsAreChecked(String expression, String problem) {
		CallerExpression parsed = CallerExpression.parse(expression, ARGUMENTS.keySet());
		if (problem.isEmpty()) {
			assertThat(parsed.check(ARGUMENTS)).isEmpty();
		}
		else {
			assertThatIllegalArgumentException().isThrownBy(() -> parsed.check(ARGUMENTS))
				.withMessageContaining(problem);
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';', commentCharacter = '~', textBlock = """
			#principal.toString(); true
			#principal.hashCode() % 16; true
			#principal.equals(#name); true
			#principal.toString(1); true
			#item.toString(); true
			#pet.toString(); false
			#pet.hashCode(); false
			""")
	void membersOfObjectAreFoundIfTheTypeMayOverrideThem(String expression, boolean known) {
		assertThat(CallerExpression.parse(expression, ARGUMENTS.keySet()).check(ARGUMENTS).isEmpty()).isEqualTo(known);
	}

	@Test
	void keyWithoutATextIsReportedIfItsTypeIsKnown() {
		for (String key : List.of("#sealed", "#sealedOnes", "#sealedList", "#sealedLists[0]")) {
			CallerExpression parsed = CallerExpression.parse(key, ARGUMENTS.keySet());
			assertThatIllegalArgumentException().as(key)
				.isThrownBy(() -> parsed.check(ARGUMENTS))
				.withMessageContaining("Sealed, which has no toString() of its own");
		}
		assertThat(CallerExpression.parse("#pet", ARGUMENTS.keySet()).check(ARGUMENTS))
			.singleElement(InstanceOfAssertFactories.STRING)
			.contains("Pet, which has no toString() of its own");
		for (String key : List.of("#name", "#order", "#principal", "#numbers", "#count", "#amount", "#map",
				"#order.generic", "#pet == null")) {
			assertThat(CallerExpression.parse(key, ARGUMENTS.keySet()).check(ARGUMENTS)).as(key).isEmpty();
		}
		assertThat(CallerExpression.parseCost("#sealed.size()", ARGUMENTS.keySet()).check(ARGUMENTS)).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "#n", "'a' + #n", "#n + 'a'", "'a'.concat(#n)", "'a'.concat('b' + #n)", "{#n}",
			"{'n': #n}", "{#n}.toString()", "{#n}.toString", "{#n}.hashCode()", "{#n}.hashCode", "{#n}.![#this]",
			"#n.toString()", "#n.hashCode()", "{#n}.![toString()]", "header(#n) ?: #n" })
	void requestsWithEqualValuesHaveTheSameKey(String expression) {
		assertThat(text(expression, new BigDecimal("1.0"))).isEqualTo(text(expression, new BigDecimal("1E0")))
			.isEqualTo(text(expression, 1));
		assertThat(text(expression, new Tags(List.of("a")))).isEqualTo(text(expression, new Tags(List.of("a"))));
		assertThatExceptionOfType(ExpressionException.class).isThrownBy(() -> text(expression, new Object()));
		assertThatExceptionOfType(ExpressionException.class).isThrownBy(() -> text(expression, List.of(new Object())));
	}

	@ParameterizedTest
	@ValueSource(strings = { "#n", "'a' + #n", "'a'.concat(#n)", "{#n}", "{#n}.toString()" })
	void keyOfAnArrayIsItsContent(String expression) {
		assertThat(text(expression, new byte[] { 1, 2 })).isEqualTo(text(expression, new byte[] { 1, 2 }))
			.contains("[1, 2]");
	}

	@Test
	void emptyOptionalHasNoKey() {
		assertThat(text("#n", Optional.empty())).isNull();
		assertThat(text("#n", Optional.of("a"))).isEqualTo("a");
	}

	private static @Nullable String text(String expression, Object argument) {
		return CallerExpression.parse(expression, List.of("n")).evaluateKey(with("n", argument));
	}

	@Test
	void memberThatASubclassMayHaveIsReportedAsADoubt() {
		CallerExpression parsed = CallerExpression.parse("#pet.bark()", ARGUMENTS.keySet());
		assertThat(parsed.check(ARGUMENTS)).singleElement(InstanceOfAssertFactories.STRING)
			.contains("Pet has no public method 'bark' with 0 arguments");
	}

	@ParameterizedTest
	@ValueSource(strings = { "#name.substring(#count + 1).length()", "#numbers[#count - 1]",
			"#order.items.![id * 2][0]", "#order.items.?[id * 2 > 5].size()" })
	void costThatCanOverflowIsRejected(String cost) {
		CallerExpression parsed = CallerExpression.parseCost(cost, ARGUMENTS.keySet());
		assertThatIllegalArgumentException().isThrownBy(() -> parsed.check(ARGUMENTS))
			.withMessageContaining("where numbers can overflow. Move the calculation out of it");
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';', quoteCharacter = '"', commentCharacter = '~', textBlock = """
			#rows * 10; 429496730; 4294967300
			#rows + 1; 2147483647; 2147483648
			#rows + #rows; 1500000000; 3000000000
			-#rows; -2147483648; 2147483648
			#rows / 10; 9; 1
			#rows / 10; 20; 2
			#rows / 3 * 3; 10; 10
			#rows * 0.1; 30; 3
			#rows % 7; 15; 1
			#rows > 10 ? #rows * 2 : 1; 1500000000; 3000000000
			(#rows > 10 and true) or false ? #rows - 1 : 1; 11; 10
			!(#rows * 10 < 0) ? 5 : 1; 429496730; 5
			#rows * 10 == 4 ? 1 : 5; 429496730; 5
			#rows ?: 7; 3; 3
			#rows % 2 == 0 ? 4 : 2; 6; 4
			""")
	void costIsCalculatedExactly(String cost, int rows, long permits) {
		CallerExpression parsed = CallerExpression.parseCost(cost, List.of("rows"));
		assertThat(parsed.check(Map.of("rows", ResolvableType.forClass(int.class)))).isEmpty();
		assertThat(parsed.evaluateCost(with("rows", rows))).isEqualTo(permits);
	}

	@Test
	void longNumberOfACustomTypeIsNotRead() {
		CallerExpression cost = CallerExpression.parseCost("#n", List.of("n"));
		assertThat(cost.evaluateCost(with("n", new Digits("12")))).isEqualTo(12);
		assertThatExceptionOfType(InvalidFactException.class)
			.isThrownBy(() -> cost.evaluateCost(with("n", new Digits("1".repeat(1001)))));
	}

	@Test
	void numbersOfEveryTypeAreCosts() {
		CallerExpression cost = CallerExpression.parseCost("#n", List.of("n"));
		for (Object number : List.of(3, 3L, (short) 3, (byte) 3, 2.5, 2.5f, new BigInteger("3"), new BigDecimal("2.01"),
				new AtomicLong(3), "3")) {
			assertThat(cost.evaluateCost(with("n", number))).as(number.getClass().getName()).isEqualTo(3);
		}
		for (Object number : List.of(-1, -0.1, Double.NaN, Double.POSITIVE_INFINITY, new BigDecimal("1E+30"), true, 'a',
				List.of(1))) {
			assertThatExceptionOfType(ExpressionException.class).as(number.getClass().getName())
				.isThrownBy(() -> cost.evaluateCost(with("n", number)));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "#n", "#n + 1", "1 - #n", "#n * 2", "#n / 3", "#n % 3", "-#n", "#n > 5", "#n == 5",
			"5 < #n", "'a' + #n", "'abc'.substring(#n)", "'abc'[#n]", "{1, 2}[#n]", "#n ?: 1", "#n.toString()",
			"#n.compareTo(#n)", "#n.signum()", "header(#n)", "#list[0] + 1", "'abc'.charAt(#list[0])", "#holder.n + 1",
			"#n ? 1 : 2" })
	void numberIsNeverExpanded(String expression) {
		for (Number number : List.of(new BigDecimal("1E+50000000"), new BigDecimal("1E-50000000"),
				new BigDecimal("1E+2147483647"), new BigDecimal("-1E-2147483647"), BigInteger.ONE.shiftLeft(4_000_000),
				new BigDecimal(BigInteger.ONE.shiftLeft(4_000_000)))) {
			Caller caller = new Arguments(Map.of("n", number, "list", List.of(number), "holder", new Holder(number)));
			for (CallerExpression parsed : List.of(CallerExpression.parse(expression, List.of("n", "list", "holder")),
					CallerExpression.parseCost(expression, List.of("n", "list", "holder")))) {
				assertTimeoutPreemptively(Duration.ofSeconds(60),
						() -> assertThatExceptionOfType(InvalidFactException.class)
							.isThrownBy(() -> parsed.evaluate(caller)));
			}
		}
	}

	@Test
	void arithmeticOfKeysAndConditionsIsThatOfSpelWithoutOverflow() {
		assertThat(key("#n / 10", 19)).isEqualTo(1L);
		assertThat(key("#n / 10.0", 19)).isEqualTo(new BigDecimal("1.9"));
		assertThat(key("#n * 2", Integer.MAX_VALUE)).isEqualTo(4294967294L);
		assertThat(key("#n % 16", -17)).isEqualTo(-1L);
		assertThat(key("'shard-' + #n % 16", 17)).isEqualTo("shard-1");
		assertThat(key("#n", 17)).isEqualTo(17);
		assertThat(key("#n == 17L", 17)).isEqualTo(true);
		assertThat(key("#n + 0.5 == 17.5", 17)).isEqualTo(true);
		assertThat(key("#n == null", 17)).isEqualTo(false);
		assertThat(key("'b' > 'a' and #n >= 17 and #n <= 17", 17)).isEqualTo(true);
	}

	@Test
	void reasonOfAFailureNamesTheMemberAndNoValue() {
		Caller caller = new Arguments(Map.of("a", "s3cret", "list", List.of("s3cret")));
		assertThat(failure("#a.nam", caller)).contains("nam", "java.lang.String").doesNotContain("s3cret");
		assertThat(failure("#a.toInt()", caller)).contains("toInt()").doesNotContain("s3cret");
		assertThat(failure("#list[#a]", caller)).doesNotContain("s3cret");
		assertThat(failure("#a and true", caller)).doesNotContain("s3cret");
		assertThat(failure("#a.substring(#a)", caller)).doesNotContain("s3cret");
		assertThat(failure("#a * 2", caller)).contains("java.lang.String").doesNotContain("s3cret");
	}

	private static String failure(String expression, Caller caller) {
		CallerExpression parsed = CallerExpression.parse(expression, List.of("a", "list"));
		return String
			.valueOf(catchThrowableOfType(ExpressionException.class, () -> parsed.evaluate(caller)).getMessage());
	}

	private static @Nullable Object key(String expression, Object argument) {
		return CallerExpression.parse(expression, List.of("n")).evaluate(with("n", argument));
	}

	private static Caller with(String name, Object value) {
		return new Arguments(Map.of(name, value));
	}

	private record Arguments(Map<String, Object> values) implements Caller {

		@Override
		public @Nullable Object argument(String name) {
			return this.values.get(name);
		}

	}

	/** A wrapper of a number. */
	public record Holder(Number n) {

	}

	/** The arguments of a handler. */
	public record Order(int id, Item item, List<Item> items, Map<String, Item> itemsByName, Object any,
			Optional<?> generic) {

	}

	/** A part of an order. */
	public record Item(long id, String name) {

	}

	/** A type that applications can extend. */
	public static class Pet {

	}

	/** A custom number of an application. */
	private static final class Digits extends Number {

		private static final long serialVersionUID = 1L;

		private final String digits;

		private Digits(String digits) {
			this.digits = digits;
		}

		@Override
		public int intValue() {
			return 0;
		}

		@Override
		public long longValue() {
			return 0;
		}

		@Override
		public float floatValue() {
			return 0;
		}

		@Override
		public double doubleValue() {
			return 0;
		}

		@Override
		public String toString() {
			return this.digits;
		}

	}

	/** A final type without a text. */
	public static final class Sealed {

		public int size() {
			return 1;
		}

	}

	/** A type with a text. */
	public record Tags(List<String> tags) {

	}

	/** A type that is not a text but has a method split. */
	public interface Router {

		String split(String text);

	}

	@SuppressWarnings("unused")
	private static void handle(String name, Order order, Principal principal, Map<String, Item> map, int[] numbers,
			Integer count, BigDecimal amount, Router router, Pet pet, Item item, Sealed sealed, Sealed[] sealedOnes,
			List<Sealed> sealedList, List<List<Sealed>> sealedLists) {
	}

	private static Map<String, ResolvableType> arguments() {
		Map<String, ResolvableType> types = new LinkedHashMap<>();
		for (Method method : CallerExpressionTests.class.getDeclaredMethods()) {
			for (int i = 0; method.getName().equals("handle") && i < method.getParameterCount(); i++) {
				types.put(method.getParameters()[i].getName(), ResolvableType.forMethodParameter(method, i));
			}
		}
		return types;
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			user                                    | true
			plan == 'pro' ? 1 : 2                   | true
			!authorities.contains('A')              | true
			#root.user                              | true
			#root['user']                           | true
			#root[header('which')]                  | true
			header('user')                          | false
			param('a').split(',')[0]                | false
			ip + pattern + method + path            | false
			""")
	void expressionThatReadsTheIdentityIsRecognized(String expression, boolean reads) {
		assertThat(CallerExpression.parse(expression).readsIdentity()).isEqualTo(reads);
	}

	@Test
	void expressionThatReadsAHeaderOrAParameterIsRecognized() {
		assertThat(CallerExpression.parse("header('a')").readsHeaderOrParameter()).isTrue();
		assertThat(CallerExpression.parse("user == null ? 1 : param('n')").readsHeaderOrParameter()).isTrue();
		assertThat(CallerExpression.parse("user.concat(header('a'))").readsHeaderOrParameter()).isTrue();
		assertThat(CallerExpression.parse("user.length()").readsHeaderOrParameter()).isFalse();
	}

}
