package io.tierlimit.actuate;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Reports the health of the store to Spring Boot 4.
 */
public final class RateLimitHealthIndicator extends AbstractHealthIndicator {

	private final RateLimitHealth health;

	/**
	 * Creates an indicator.
	 * @param health describes the store
	 */
	public RateLimitHealthIndicator(RateLimitHealth health) {
		this.health = health;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		builder.up().withDetails(this.health.details());
	}

}
