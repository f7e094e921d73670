package io.tierlimit.autoconfigure.settings;

import io.tierlimit.autoconfigure.environment.PropertyNames;
import io.tierlimit.autoconfigure.environment.PropertyOrigins;
import io.tierlimit.autoconfigure.environment.UnknownProperties;
import io.tierlimit.autoconfigure.properties.FilterOrders;
import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.rule.reader.Problems;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.Environment;

/**
 * Checks the properties except for the rules.
 */
public final class SettingsChecks {

	private final ConfigurableListableBeanFactory beans;

	private final Environment environment;

	/**
	 * Creates checks.
	 * @param beans has the beans that properties name
	 * @param environment has the properties
	 */
	public SettingsChecks(ConfigurableListableBeanFactory beans, Environment environment) {
		this.beans = beans;
		this.environment = environment;
	}

	/**
	 * Checks all properties except for the rules.
	 * @param bound the properties
	 * @param names the names of all properties
	 * @param problems collects all problems
	 */
	public void check(BoundSettings bound, PropertyNames names, Problems problems) {
		TierlimitProperties properties = bound.properties();
		PropertyOrigins places = new PropertyOrigins(this.environment);
		bound.failures().report(places, problems);
		new UnknownProperties(names, places, problems).checkSettings();
		SettingsProblems own = new SettingsProblems(places, problems);
		SettingsCheck settings = new SettingsCheck(own);
		settings.check(properties);
		if (this.beans.containsBean(FilterOrders.SECURITY_BEAN)) {
			settings.check(FilterOrders.of(this.environment, properties.web()));
		}
		RequiredBeansCheck required = new RequiredBeansCheck(this.beans, own);
		required.checkStore(properties);
		required.checkTables(properties);
	}

	/**
	 * Checks the properties of tables alone.
	 * @param bound the properties
	 * @param problems collects all problems
	 */
	public void checkTables(BoundSettings bound, Problems problems) {
		new RequiredBeansCheck(this.beans, new SettingsProblems(new PropertyOrigins(this.environment), problems))
			.checkTables(bound.properties());
	}

}
