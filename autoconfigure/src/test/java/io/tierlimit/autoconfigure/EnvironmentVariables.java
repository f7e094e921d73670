package io.tierlimit.autoconfigure;

import java.util.HashMap;
import java.util.Map;

import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Environment variables of an application.
 */
public final class EnvironmentVariables {

	private EnvironmentVariables() {
	}

	/**
	 * Replaces the variables of this process.
	 * @param variables the variables by their names
	 * @return initializes an application
	 */
	public static ApplicationContextInitializer<ConfigurableApplicationContext> of(Map<String, String> variables) {
		return (context) -> context.getEnvironment()
			.getPropertySources()
			.replace("systemEnvironment",
					new SystemEnvironmentPropertySource("systemEnvironment", new HashMap<>(variables)));
	}

	/**
	 * Adds variables that override all other properties.
	 * @param variables the variables by their names
	 * @return initializes an application
	 */
	public static ApplicationContextInitializer<ConfigurableApplicationContext> overriding(
			Map<String, String> variables) {
		return (context) -> context.getEnvironment()
			.getPropertySources()
			.addFirst(new SystemEnvironmentPropertySource("test-systemEnvironment", new HashMap<>(variables)));
	}

}
