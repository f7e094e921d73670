package io.tierlimit.web;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;

import org.springframework.mock.web.MockHttpServletRequest;

import static org.assertj.core.api.Assertions.assertThat;

class QueryParametersTests {

	private final MockHttpServletRequest request = new MockHttpServletRequest();

	@ParameterizedTest
	@NullAndEmptySource
	void requestWithoutAQueryHasNoParameters(@Nullable String query) {
		assertThat(parameters(query).all()).isEmpty();
		assertThat(parameters(query).first("a")).isNull();
	}

	@Test
	void valuesOfANameKeepTheirOrder() {
		QueryParameters parameters = parameters("b=2&a=1&b=3");
		assertThat(parameters.first("b")).isEqualTo("2");
		assertThat(parameters.all()).containsOnlyKeys("a", "b");
		assertThat(parameters.all().get("b")).containsExactly("2", "3");
		assertThat(parameters.all().keySet()).containsExactly("b", "a");
	}

	@Test
	void namesAndValuesAreDecodedAsUtf8() {
		assertThat(parameters("caf%C3%A9=a+b%26c").first("café")).isEqualTo("a b&c");
	}

	@Test
	void textThatCannotBeDecodedIsUnchanged() {
		assertThat(parameters("a=%zz&b=%4").first("a")).isEqualTo("%zz");
		assertThat(parameters("a=%zz&b=%4").first("b")).isEqualTo("%4");
	}

	@Test
	void nameWithoutAValueHasAnEmptyValue() {
		assertThat(parameters("a&b=").first("a")).isEmpty();
		assertThat(parameters("a&b=").first("b")).isEmpty();
	}

	@Test
	void valueMayHaveAnEqualsSign() {
		assertThat(parameters("a=b=c").first("a")).isEqualTo("b=c");
	}

	@Test
	void parametersOfTheBodyAreNotRead() {
		this.request.setParameter("a", "of the body");
		assertThat(parameters("b=1").first("a")).isNull();
	}

	private QueryParameters parameters(@Nullable String query) {
		this.request.setQueryString(query);
		return QueryParameters.of(this.request);
	}

}
