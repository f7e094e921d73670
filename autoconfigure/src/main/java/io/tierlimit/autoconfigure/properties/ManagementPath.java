package io.tierlimit.autoconfigure.properties;

import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * The path of the management endpoints, if they share the application's port.
 */
public final class ManagementPath {

	private static final String ENDPOINT = "org.springframework.boot.actuate.endpoint.annotation.Endpoint";

	private ManagementPath() {
	}

	/**
	 * Returns the path.
	 * @param environment has the properties of the management endpoints
	 * @return the path, relative to the context path; {@code null} if the endpoints have
	 * another port or no path of their own
	 */
	public static @Nullable String of(Environment environment) {
		String path = withoutTrailingSlash(environment.getProperty("management.endpoints.web.base-path", "/actuator"));
		if (path.isEmpty() || !sharesPort(environment)
				|| !ClassUtils.isPresent(ENDPOINT, ManagementPath.class.getClassLoader())) {
			return null;
		}
		return withoutTrailingSlash(environment.getProperty("spring.mvc.servlet.path", "")) + path;
	}

	private static String withoutTrailingSlash(String path) {
		return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
	}

	/** Compares the ports. Port 0 means any free port, so two zeros differ. */
	private static boolean sharesPort(Environment environment) {
		Integer port = environment.getProperty("management.server.port", Integer.class);
		return port == null || (port != 0 && port.equals(environment.getProperty("server.port", Integer.class, 8080)));
	}

}
