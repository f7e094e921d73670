package io.tierlimit.web;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;

import io.tierlimit.spi.Endpoint;
import org.jspecify.annotations.Nullable;

import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.method.HandlerMethod;

/**
 * The handler that will serve a request.
 *
 * @param endpoint its mapping, or {@code null} if the mapping has no pattern
 * @param method the method that will be called, or {@code null} if the handler is not a
 * method of a bean
 * @param type the class of the bean without proxies; {@code null} without a method
 * @param object the handler object of the framework that calls it, or the mapping that
 * responds to the request with an error
 * @param management whether it is one of Spring Boot's management endpoints
 * @param cors the CORS configuration of the mapping and the handler, or {@code null}
 */
public record Handler(@Nullable Endpoint endpoint, @Nullable Method method, @Nullable Class<?> type, Object object,
		boolean management, @Nullable CorsConfiguration cors) {

	/** Spring Boot's interface, whose package differs by version. */
	private static final Set<String> ERROR_CONTROLLER = Set.of("org.springframework.boot.webmvc.error.ErrorController",
			"org.springframework.boot.web.servlet.error.ErrorController");

	private static final ClassValue<Boolean> SERVES_ERRORS = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			Class<?> parent = type.getSuperclass();
			return ERROR_CONTROLLER.contains(type.getName()) || (parent != null && get(parent))
					|| Arrays.stream(type.getInterfaces()).anyMatch(this::get);
		}

	};

	/**
	 * Whether a handler serves the error path. Such a handler responds with 500 to a
	 * request that has no error.
	 */
	static boolean servesErrors(Object handler) {
		return handler instanceof HandlerMethod method && SERVES_ERRORS.get(method.getBeanType());
	}

}
