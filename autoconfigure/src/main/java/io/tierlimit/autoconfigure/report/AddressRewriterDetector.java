package io.tierlimit.autoconfigure.report;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.cloud.CloudPlatform;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;
import org.springframework.web.filter.ForwardedHeaderFilter;

/**
 * Detects other components that rewrite the client address from a header, before
 * Tierlimit reads it from the server.
 */
public final class AddressRewriterDetector {

	private static final String STRATEGY = "server.forward-headers-strategy";

	private static final String TOMCAT = "server.tomcat.remoteip.";

	private AddressRewriterDetector() {
	}

	/**
	 * Finds a component other than Tierlimit that reads client addresses from a header.
	 * @param environment has the properties of the server
	 * @param beans the bean factory
	 * @return the property or filter that rewrites the address; {@code null} if there is
	 * none
	 */
	public static @Nullable String find(Environment environment, ListableBeanFactory beans) {
		String strategy = environment.getProperty(STRATEGY);
		if (StringUtils.hasText(strategy) && !strategy.equalsIgnoreCase("none")) {
			return STRATEGY + "=" + strategy;
		}
		CloudPlatform platform = !StringUtils.hasText(strategy) ? CloudPlatform.getActive(environment) : null;
		if (platform != null && platform.isUsingForwardHeaders()) {
			return STRATEGY + "=native, the default on " + platform;
		}
		for (String property : new String[] { TOMCAT + "remote-ip-header", TOMCAT + "protocol-header" }) {
			if (StringUtils.hasText(environment.getProperty(property))) {
				return property;
			}
		}
		return hasFilter(beans) ? "a ForwardedHeaderFilter" : null;
	}

	private static boolean hasFilter(ListableBeanFactory beans) {
		return beans.getBeanNamesForType(ForwardedHeaderFilter.class).length > 0
				|| beans.getBeansOfType(FilterRegistrationBean.class)
					.values()
					.stream()
					.anyMatch((registration) -> registration.getFilter() instanceof ForwardedHeaderFilter);
	}

}
