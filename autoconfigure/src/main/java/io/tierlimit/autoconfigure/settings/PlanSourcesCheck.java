package io.tierlimit.autoconfigure.settings;

import java.util.List;

import io.tierlimit.autoconfigure.environment.PropertyOrigins;
import io.tierlimit.autoconfigure.properties.StandardBeans;
import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.rule.reader.Problems;
import io.tierlimit.spi.PlanResolver;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * Warns of sources of plans without effect: the application's own {@link PlanResolver}
 * replaces all of them.
 */
final class PlanSourcesCheck {

	private final ConfigurableListableBeanFactory beans;

	private final PropertyOrigins places;

	private final Problems problems;

	PlanSourcesCheck(ConfigurableListableBeanFactory beans, PropertyOrigins places, Problems problems) {
		this.beans = beans;
		this.places = places;
		this.problems = problems;
	}

	void check(TierlimitProperties.Plan plan) {
		if (this.beans.containsBean(StandardBeans.PLAN_RESOLVER)) {
			return;
		}
		List<String> names = List.of(this.beans.getBeanNamesForType(PlanResolver.class, true, false));
		check("claim", plan.claim() != null, names);
		check("jdbc.enabled", plan.jdbc().enabled(), names);
		check("request-attribute", plan.requestAttribute() != null, names);
		check("session-attribute", plan.sessionAttribute() != null, names);
	}

	private void check(String property, boolean written, List<String> resolvers) {
		if (written && !resolvers.isEmpty()) {
			String name = "tierlimit.plan." + property;
			this.problems.warn(name + " has no effect: plans come from the PlanResolver bean " + resolvers,
					"Remove the bean, or remove", this.places.find(ConfigurationPropertyName.of(name)));
		}
	}

}
