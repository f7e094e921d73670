package io.tierlimit.autoconfigure.properties;

import io.tierlimit.web.RateLimitFilter;

import org.springframework.core.env.Environment;

/**
 * The places of the filters before and behind Spring Security's.
 *
 * @param before the place of the filter before it
 * @param security where Spring Security is
 * @param behind the place of the filter behind it
 */
public record FilterOrders(int before, int security, int behind) {

	/** Spring Security's filter. */
	public static final String SECURITY_BEAN = "springSecurityFilterChain";

	/** The registration of the filter before it, and of the only one without it. */
	public static final String FILTER_BEAN = "rateLimitFilterRegistration";

	/** The registration of the filter behind it. */
	public static final String AUTHENTICATED_FILTER_BEAN = "authenticatedRateLimitFilterRegistration";

	/** Where Spring Boot puts Spring Security's filter by default. */
	private static final int SECURITY = -100;

	/**
	 * Returns the orders that the properties set or, by default, those beside Spring
	 * Security's own.
	 * @param environment has Spring Security's order
	 * @param web the properties of the filters
	 * @return the orders, which may be on the wrong side
	 */
	public static FilterOrders of(Environment environment, TierlimitProperties.Web web) {
		int security = environment.getProperty("spring.security.filter.order", Integer.class, SECURITY);
		Integer before = web.order();
		Integer behind = web.authenticatedOrder();
		// The filter that binds the request to its thread has a place before this one.
		int first = Math.max(Integer.MIN_VALUE + 1,
				(before != null) ? before : shift(RateLimitFilter.DEFAULT_ORDER, security));
		return new FilterOrders(first, security,
				(behind != null) ? behind : shift(RateLimitFilter.AUTHENTICATED_ORDER, security));
	}

	private static int shift(int order, int security) {
		long shifted = (long) order + security - SECURITY;
		return (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, shifted));
	}

}
