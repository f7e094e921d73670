package io.tierlimit.autoconfigure.properties;

import io.tierlimit.web.RateLimitFilter;

import org.springframework.core.env.Environment;

/**
 * The orders of the filters before and after Spring Security's filter.
 *
 * @param before the order of the filter before it
 * @param security the order of Spring Security's filter
 * @param after the order of the filter after Spring Security's filter
 */
public record FilterOrders(int before, int security, int after) {

	/** Spring Security's filter. */
	public static final String SECURITY_BEAN = "springSecurityFilterChain";

	/**
	 * The registration of the filter before Spring Security's filter, or of the only
	 * filter if there is no Spring Security.
	 */
	public static final String FILTER_BEAN = "rateLimitFilterRegistration";

	/** The registration of the filter after Spring Security's filter. */
	public static final String AUTHENTICATED_FILTER_BEAN = "authenticatedRateLimitFilterRegistration";

	/** The default order of Spring Security's filter in Spring Boot. */
	private static final int SECURITY = -100;

	/**
	 * Returns the orders that the properties set or, by default, orders next to Spring
	 * Security's order.
	 * @param environment has Spring Security's order
	 * @param web the properties of the filters
	 * @return the orders, which may be on the wrong side
	 */
	public static FilterOrders of(Environment environment, TierlimitProperties.Web web) {
		int security = environment.getProperty("spring.security.filter.order", Integer.class, SECURITY);
		Integer before = web.order();
		Integer after = web.authenticatedOrder();
		// The filter that binds the request to its thread has an order below this one.
		int first = Math.max(Integer.MIN_VALUE + 1,
				(before != null) ? before : shift(RateLimitFilter.DEFAULT_ORDER, security));
		return new FilterOrders(first, security,
				(after != null) ? after : shift(RateLimitFilter.AUTHENTICATED_ORDER, security));
	}

	private static int shift(int order, int security) {
		long shifted = (long) order + security - SECURITY;
		return (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, shifted));
	}

}
