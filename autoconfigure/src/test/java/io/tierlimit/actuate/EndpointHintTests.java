package io.tierlimit.actuate;

import io.tierlimit.autoconfigure.TierlimitActuatorAutoConfiguration;
import org.junit.jupiter.api.Test;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;

import static org.assertj.core.api.Assertions.assertThat;

class EndpointHintTests {

	@Test
	void nativeImageCanWriteTheResponsesOfTheEndpoint() {
		RuntimeHints hints = new RuntimeHints();
		new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, TierlimitActuatorAutoConfiguration.class);
		for (Class<?> type : new Class<?>[] { RuleListDescriptor.class, RuleDescriptor.class, LimitDescriptor.class,
				StoreDescriptor.class, BucketListDescriptor.class, BucketDescriptor.class, BanListDescriptor.class,
				BanDescriptor.class, OverrideListDescriptor.class, OverrideDescriptor.class,
				OverrideEditDescriptor.class, OffenderListDescriptor.class, OffenderDescriptor.class,
				ProblemListDescriptor.class }) {
			assertThat(RuntimeHintsPredicates.reflection()
				.onType(type)
				.withMemberCategory(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS)).as(type.getName()).accepts(hints);
		}
	}

}
