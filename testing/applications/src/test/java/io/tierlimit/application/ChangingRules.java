package io.tierlimit.application;

import java.util.Map;

import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.spi.RuleSource;

import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * A rule source with a rule 'orders' that a test changes while the application runs.
 */
@Configuration(proxyBeanMethods = false)
@Import(TestApplication.class)
class ChangingRules implements RuleSource {

	private volatile Map<String, String> orders = Map.of();

	@Override
	public Map<String, Map<String, String>> read() {
		return this.orders.isEmpty() ? Map.of() : Map.of("orders", this.orders);
	}

	/** Changes the properties of the rule, and returns the response to the reload. */
	static Response reload(RunningApplication application, Map<String, String> orders) {
		application.bean(ChangingRules.class).orders = orders;
		return application.send("POST", "/actuator/ratelimits");
	}

}
