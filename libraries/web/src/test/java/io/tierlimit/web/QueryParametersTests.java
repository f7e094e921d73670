package io.tierlimit.web;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;

import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.util.MultiValueMap;

import static org.assertj.core.api.Assertions.assertThat;

class QueryParametersTests {

	private final MockHttpServletRequest request = new MockHttpServletRequest();

	@ParameterizedTest
	@NullAndEmptySource
	void requestWithoutAQueryHasNoParameters(@Nullable String query) {
		assertThat(parameters(query)).isEmpty();
		assertThat(parameters(query).getFirst("a")).isNull();
	}

	@Test
	void valuesOfANameKeepTheirOrder() {
		MultiValueMap<String, String> parameters = parameters("b=2&a=1&b=3");
		assertThat(parameters.getFirst("b")).isEqualTo("2");
		assertThat(parameters).containsOnlyKeys("a", "b");
		assertThat(parameters.get("b")).containsExactly("2", "3");
		assertThat(parameters.keySet()).containsExactly("b", "a");
	}

	@Test
	void namesAndValuesAreDecodedAsUtf8() {
		assertThat(parameters("caf%C3%A9=a+b%26c").getFirst("café")).isEqualTo("a b&c");
	}

	@Test
	void textThatCannotBeDecodedIsUnchanged() {
		assertThat(parameters("a=%zz&b=%4").getFirst("a")).isEqualTo("%zz");
		assertThat(parameters("a=%zz&b=%4").getFirst("b")).isEqualTo("%4");
	}

	@Test
	void nameWithoutAValueHasAnEmptyValue() {
		assertThat(parameters("a&b=").getFirst("a")).isEmpty();
		assertThat(parameters("a&b=").getFirst("b")).isEmpty();
	}

	@Test
	void valueMayHaveAnEqualsSign() {
		assertThat(parameters("a=b=c").getFirst("a")).isEqualTo("b=c");
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
