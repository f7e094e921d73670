package io.tierlimit.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Where the management endpoints are, if they share the application's port.
 */
final class ManagementPath {

	private static final String ENDPOINT = "org.springframework.boot.actuate.endpoint.annotation.Endpoint";

	private ManagementPath() {
	}

	static @Nullable String of(Environment environment) {
		String port = environment.getProperty("management.server.port");
		boolean apart = port != null && !port.equals(environment.getProperty("server.port", "8080"));
		String path = environment.getProperty("management.endpoints.web.base-path", "/actuator");
		if (apart || path.isEmpty() || path.equals("/")
				|| !ClassUtils.isPresent(ENDPOINT, ManagementPath.class.getClassLoader())) {
			return null;
		}
		return path;
	}

}
