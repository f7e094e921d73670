package io.tierlimit.starter;

import io.tierlimit.actuate.RateLimitHealth;

import org.springframework.boot.actuate.health.AbstractHealthIndicator;
import org.springframework.boot.actuate.health.Health;

/**
 * Reports the health of the store to Spring Boot 3.5.
 */
final class SpringBoot3HealthIndicator extends AbstractHealthIndicator {

	private final RateLimitHealth health;

	SpringBoot3HealthIndicator(RateLimitHealth health) {
		this.health = health;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		builder.up().withDetails(this.health.details());
	}

}
