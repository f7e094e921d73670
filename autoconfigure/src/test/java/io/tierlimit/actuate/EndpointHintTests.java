package io.tierlimit.actuate;

import io.tierlimit.autoconfigure.TierlimitActuatorAutoConfiguration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;

import static org.assertj.core.api.Assertions.assertThat;

class EndpointHintTests {

	@ParameterizedTest
	@ValueSource(classes = { RuleDescriptor.class, LimitDescriptor.class, LimitDescriptor.WindowDescriptor.class,
			BucketDescriptor.class, BanDescriptor.class, OffenderDescriptor.class, ModeDescriptor.class,
			ReloadDescriptor.class })
	void nativeImageCanWriteTheResponsesOfTheEndpointOfRules(Class<?> type) {
		assertCanBeWritten(type, RateLimitsEndpoint.class);
	}

	@ParameterizedTest
	@ValueSource(classes = { OverrideDescriptor.class, LimitDescriptor.class, OverrideEditDescriptor.class })
	void nativeImageCanWriteTheResponsesOfTheEndpointOfOverrides(Class<?> type) {
		assertCanBeWritten(type, RateLimitOverridesEndpoint.class);
	}

	@ParameterizedTest
	@ValueSource(classes = ReloadDescriptor.class)
	void nativeImageCanWriteTheHealthWithoutEndpoints(Class<?> type) {
		assertCanBeWritten(type, TierlimitActuatorAutoConfiguration.class);
	}

	private static void assertCanBeWritten(Class<?> type, Class<?> bean) {
		RuntimeHints hints = new RuntimeHints();
		new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, bean);
		assertThat(RuntimeHintsPredicates.reflection()
			.onType(type)
			.withMemberCategory(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS)).accepts(hints);
	}

}
