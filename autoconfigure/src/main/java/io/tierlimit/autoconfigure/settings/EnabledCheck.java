package io.tierlimit.autoconfigure.settings;

import io.tierlimit.autoconfigure.environment.PropertyOrigins;
import io.tierlimit.rule.reader.Problems;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.env.Environment;

/**
 * Checks {@code tierlimit.enabled} before any bean is created. The conditions of the
 * other auto-configurations treat every value except {@code true} as false, so that a
 * mistyped value would disable all limits without a message.
 *
 * @param environment has the property
 * @param enabled the configuration that is present if the property is true
 * @param disabled the configuration that is present if it is false
 */
public record EnabledCheck(Environment environment, Class<?> enabled,
		Class<?> disabled) implements BeanFactoryPostProcessor {

	private static final Log logger = LogFactory.getLog(EnabledCheck.class);

	private static final ConfigurationPropertyName PROPERTY = ConfigurationPropertyName.of("tierlimit.enabled");

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
		String value = this.environment.getProperty(PROPERTY.toString(), "true");
		String place = new PropertyOrigins(this.environment).find(PROPERTY);
		boolean enabled = value.equalsIgnoreCase("true");
		Problems problems = new Problems();
		if (!enabled && !value.equalsIgnoreCase("false")) {
			problems.add("tierlimit.enabled must be true or false (was '" + value + "')", "Correct", place);
		}
		else if (enabled && isPresent(beans, this.disabled)) {
			problems.add(
					"tierlimit.enabled is true, but was false when the application was processed ahead of time, so no "
							+ "limit would be enforced",
					"Build the application again with tierlimit.enabled=true, or set {} to false", place);
		}
		EarlyFailure.of(problems::report);
		if (!enabled && !Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)) {
			logDisabled(place, isPresent(beans, this.enabled));
		}
	}

	private static void logDisabled(String place, boolean frozen) {
		if (frozen) {
			logger.warn("Tierlimit is enabled, although tierlimit.enabled is false: the value was true when the "
					+ "application was processed ahead of time. To disable Tierlimit, build the application again, or "
					+ "set tierlimit.rules.<id>.enabled to false for each rule. Otherwise remove " + place + ".");
		}
		else {
			logger.info("Tierlimit is disabled: no limit is enforced. To enable it, set " + place
					+ " to true or remove it.");
		}
	}

	private static boolean isPresent(ConfigurableListableBeanFactory beans, Class<?> configuration) {
		return beans.getBeanNamesForType(configuration, true, false).length > 0;
	}

}
