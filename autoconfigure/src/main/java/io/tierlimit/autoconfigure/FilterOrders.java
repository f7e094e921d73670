package io.tierlimit.autoconfigure;

import io.tierlimit.web.RateLimitFilter;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.Environment;

/**
 * The places of the filters before and behind Spring Security's.
 *
 * @param before the place of the filter before it
 * @param security where Spring Security is
 * @param behind the place of the filter behind it
 */
record FilterOrders(int before, int security, int behind) {

	/** Spring Security's filter. */
	static final String SECURITY_BEAN = "springSecurityFilterChain";

	/** Where Spring Boot puts Spring's filter that binds the request to the thread. */
	static final int REQUEST_CONTEXT = -105;

	/** Where Spring Boot puts Spring Security's filter by default. */
	private static final int SECURITY = -100;

	static FilterOrders of(Environment environment, TierlimitProperties.Web web) {
		int security = environment.getProperty("spring.security.filter.order", Integer.class, SECURITY);
		Integer before = web.order();
		Integer behind = web.authenticatedOrder();
		return new FilterOrders((before != null) ? before : shift(RateLimitFilter.DEFAULT_ORDER, security), security,
				(behind != null) ? behind : shift(RateLimitFilter.AUTHENTICATED_ORDER, security));
	}

	private static int shift(int order, int security) {
		long shifted = (long) order + security - SECURITY;
		return (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, shifted));
	}

	/** Notes a filter that is not on its own side of Spring Security's. */
	void check(PropertyPlaces places, Problems problems) {
		if (this.before >= this.security) {
			problems.add(
					"tierlimit.web.order is " + this.before + ", which is not before Spring Security's filter at "
							+ this.security,
					"Raise spring.security.filter.order or lower",
					places.find(ConfigurationPropertyName.of("tierlimit.web.order")));
		}
		if (this.behind <= this.security) {
			problems.add(
					"tierlimit.web.authenticated-order is " + this.behind
							+ ", which is not behind Spring Security's filter at " + this.security,
					"Lower spring.security.filter.order or raise",
					places.find(ConfigurationPropertyName.of("tierlimit.web.authenticated-order")));
		}
	}

}
