package io.tierlimit.web;

import io.tierlimit.spi.Caller;
import io.tierlimit.spi.InvalidRequestValueException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.util.MultiValueMap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class QueryParametersTests {

	private final MockHttpServletRequest request = new MockHttpServletRequest();

	@ParameterizedTest
	@NullAndEmptySource
	void requestWithoutAQueryHasNoParameters(@Nullable String query) {
		assertThat(parameters(query)).isEmpty();
		assertThat(parameters(query).getFirst("a")).isNull();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			b=2&a=1&b=3       | {b=[2, 3], a=[1]}
			caf%C3%A9=a+b%26c | {café=[a b&c]}
			a=b=c             | {a=[b=c]}
			a=%F0%9F%99%82%25zz%24%5C%EF%BF%BD1&b=%e2%82%AC+%2B | {a=[\ud83d\ude42%zz$\\\ufffd1], b=[\u20ac +]}
			""")
	void queryIsDecodedAsUtf8InItsOrder(String query, String expected) {
		assertThat(parameters(query)).hasToString(expected);
	}

	/** Some containers ignore these parameters, and use the next value of the name. */
	@ParameterizedTest
	@ValueSource(strings = { "a=%zz1&a=victim", "a=%4&a=victim", "a=%&a=victim", "a=%4%411&a=victim", "a=%+1&a=victim",
			"a=%-1&a=victim", "a=%C3&a=victim", "a=%C3%A9%FF&a=victim", "a=%C0%AE&a=victim", "a=x&%zz=1", "a=x&%FF" })
	void queryThatCannotBeDecodedIsRejected(String query) {
		assertThatExceptionOfType(InvalidRequestValueException.class).isThrownBy(() -> parameters(query));
		this.request.setContentType("text/plain");
		Caller caller = TestLimiters.callers((request, arrived) -> null).of(this.request, false);
		assertThatExceptionOfType(InvalidRequestValueException.class).isThrownBy(() -> caller.param("a"));
		assertThat(caller.header("a")).as("no parameter is read").isNull();
	}

	@Test
	void nameWithoutAValueHasAnEmptyValue() {
		assertThat(parameters("a&b=").getFirst("a")).isEmpty();
		assertThat(parameters("a&b=").getFirst("b")).isEmpty();
	}

	@Test
	void parametersOfTheBodyAreNotRead() {
		this.request.setParameter("a", "of the body");
		assertThat(parameters("b=1").getFirst("a")).isNull();
	}

	private MultiValueMap<String, String> parameters(@Nullable String query) {
		this.request.setQueryString(query);
		return QueryParameters.of(this.request);
	}

}
