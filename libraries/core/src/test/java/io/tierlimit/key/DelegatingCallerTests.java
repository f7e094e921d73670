package io.tierlimit.key;

import java.lang.reflect.Method;
import java.util.Arrays;

import io.tierlimit.spi.Caller;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

class DelegatingCallerTests {

	static Iterable<Method> facts() {
		return Arrays.asList(Caller.class.getMethods());
	}

	@ParameterizedTest
	@MethodSource("facts")
	void everyFactOfTheCallerIsPassedOn(Method fact) throws NoSuchMethodException {
		assertThat(DelegatingCaller.class.getMethod(fact.getName(), fact.getParameterTypes()).getDeclaringClass())
			.as("no default of the interface")
			.isEqualTo(DelegatingCaller.class);
	}

}
