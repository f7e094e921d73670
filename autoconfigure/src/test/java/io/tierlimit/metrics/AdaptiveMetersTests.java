package io.tierlimit.metrics;

import java.util.List;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tierlimit.option.adaptive.AdaptivePolicy;
import io.tierlimit.option.adaptive.AdaptiveRules;
import io.tierlimit.rule.Rule;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link AdaptiveMeters}.
 */
@ExtendWith(OutputCaptureExtension.class)
class AdaptiveMetersTests {

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final AdaptiveMeters meters = new AdaptiveMeters(this.registry, (rule) -> 0.5);

	private final Rule adaptive = AdaptiveRules.rule("adaptive", 100, 10).withErrors(0.05).build();

	private final Rule constant = AdaptiveRules.rule("constant", 100, 10)
		.withErrors(0.05)
		.build()
		.options((options) -> options.without(AdaptivePolicy.class));

	@Test
	void onlyAdaptiveRatesHaveAMeter() {
		this.meters.replace(List.of(this.adaptive, this.constant));
		assertThat(gauge()).isNotNull().extracting(Gauge::value).isEqualTo(0.5);
		assertThat(this.registry.getMeters()).hasSize(1);
	}

	@Test
	void meterIsNotRegisteredAgain(CapturedOutput output) {
		this.meters.replace(List.of(this.adaptive));
		this.meters.replace(List.of(this.adaptive, this.constant));
		this.meters.replace(List.of(this.adaptive));
		assertThat(gauge()).isNotNull();
		assertThat(output.getAll()).doesNotContain("already registered");
	}

	@Test
	void ruleThatIsRemovedHasNoMeterUntilItReturns() {
		this.meters.replace(List.of(this.adaptive, this.constant));
		this.meters.replace(List.of(this.constant));
		assertThat(gauge()).isNull();
		this.meters.replace(List.of(this.adaptive));
		assertThat(gauge()).isNotNull().extracting(Gauge::value).isEqualTo(0.5);
	}

	private @Nullable Gauge gauge() {
		return this.registry.find("tierlimit.adaptive.share").tag("rule", "adaptive").gauge();
	}

}
