package io.tierlimit.junit;

import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import org.springframework.boot.logging.LoggingInitializationContext;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.core.env.StandardEnvironment;

/**
 * Resets the log levels and the format before each test class to the values of a Spring
 * Boot application without configuration, because other test classes in the same JVM may
 * have changed them.
 */
public final class InitialLogLevels implements BeforeAllCallback {

	@Override
	public void beforeAll(ExtensionContext context) {
		LoggingSystem logging = LoggingSystem.get(InitialLogLevels.class.getClassLoader());
		logging.cleanUp();
		logging.beforeInitialize();
		logging.initialize(new LoggingInitializationContext(new StandardEnvironment()), null, null);
	}

}
