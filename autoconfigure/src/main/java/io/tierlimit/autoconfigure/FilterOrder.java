package io.tierlimit.autoconfigure;

import org.springframework.core.env.Environment;

/**
 * The filter's place: behind Spring Security's, so that a request has its user.
 */
final class FilterOrder {

	/** Where Spring Boot puts Spring Security's filter by default. */
	private static final int SECURITY = -100;

	private static final int DISTANCE = 10;

	private FilterOrder() {
	}

	static int of(Environment environment) {
		return environment.getProperty("spring.security.filter.order", Integer.class, SECURITY) + DISTANCE;
	}

}
