package io.tierlimit.key;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.expression.EvaluationException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class CallerExpressionTests {

	private static final Caller CALLER = SimpleCaller.at("192.0.2.1")
		.as("alice")
		.on("pro")
		.with("ROLE_USER", "PLAN_pro")
		.to("GET", "/api/{id}")
		.sending(Map.of("X-Tenant", "acme"), Map.of("n", "3"));

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
	void factsThatThereAreNoneOfAreNull() {
		for (String fact : List.of("method", "path", "pattern", "ip", "user", "plan", "header('a')", "param('a')")) {
			assertThat(CallerExpression.parse(fact).evaluate(SimpleCaller.NOBODY)).as(fact).isNull();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "usr", "usr.length()", "headers('a')", "user.concat(metod)", "user == nobody",
			"getClass()", "method == 'GET' ? usr : ip" })
	void factThatACallerDoesNotHaveIsFoundWhenParsed(String expression) {
		assertThatIllegalArgumentException().isThrownBy(() -> CallerExpression.parse(expression))
			.withMessageContaining("A caller has no")
			.withMessageContaining("method, path, pattern, ip, user, plan, authorities");
	}

	@ParameterizedTest
	@ValueSource(strings = { "method ==", "'", "user.", "(", "#", "" })
	void textThatIsNoSpelIsRefused(String expression) {
		assertThatIllegalArgumentException().isThrownBy(() -> CallerExpression.parse(expression));
	}

	@ParameterizedTest
	@ValueSource(strings = { "T(java.lang.Runtime).getRuntime()", "new java.io.File('/')", "@bean", "user = 'root'",
			"authorities[0] = 'PLAN_pro'", "#items.size()", "user.concat(T(java.lang.Math).random())" })
	void whatIsOutOfReachIsRefusedWhenParsed(String expression) {
		assertThatIllegalArgumentException().isThrownBy(() -> CallerExpression.parse(expression))
			.withMessageContaining("is out of reach");
	}

	@Test
	void tellsWhetherItIsTheSameForAll() {
		assertThat(CallerExpression.parse("-1").isConstant()).isTrue();
		assertThat(CallerExpression.parse("1 + 2").isConstant()).isTrue();
		assertThat(CallerExpression.parse("user == null ? 1 : 2").isConstant()).isFalse();
		assertThat(CallerExpression.parse("header('a')").isConstant()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "user.class.forName('java.lang.Runtime')", "user.getClass()" })
	void nothingButTheCallerIsWithinReach(String expression) {
		CallerExpression parsed = CallerExpression.parse(expression);
		assertThatExceptionOfType(EvaluationException.class).isThrownBy(() -> parsed.evaluate(CALLER));
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
	void tellsWhetherItReadsWhoIsAuthenticated(String expression, boolean reads) {
		assertThat(CallerExpression.parse(expression).readsIdentity()).isEqualTo(reads);
	}

	@Test
	void tellsWhetherItReadsWhatCallersSend() {
		assertThat(CallerExpression.parse("header('a')").readsWhatCallersSend()).isTrue();
		assertThat(CallerExpression.parse("user == null ? 1 : param('n')").readsWhatCallersSend()).isTrue();
		assertThat(CallerExpression.parse("user.concat(header('a'))").readsWhatCallersSend()).isTrue();
		assertThat(CallerExpression.parse("user.length()").readsWhatCallersSend()).isFalse();
	}

}
