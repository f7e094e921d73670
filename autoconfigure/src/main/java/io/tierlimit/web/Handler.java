package io.tierlimit.web;

import java.lang.reflect.Method;

import io.tierlimit.spi.Endpoint;
import org.jspecify.annotations.Nullable;

import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.PreFlightRequestHandler;

/**
 * What will serve a request.
 *
 * @param endpoint its mapping, or {@code null} if that has no pattern
 * @param method the method that will be called, or {@code null} if it is no bean's method
 * @param type the class of the bean, behind any proxy; {@code null} without a method
 * @param object the handler as the framework that calls it knows it
 * @param management whether it is one of Spring Boot's management endpoints
 * @param cors what the mapping and the handler say of other origins, or {@code null}
 */
public record Handler(@Nullable Endpoint endpoint, @Nullable Method method, @Nullable Class<?> type, Object object,
		boolean management, @Nullable CorsConfiguration cors) {

	/** Whether a handler only answers what a browser may send. */
	static boolean answersPreflights(Object handler) {
		return handler instanceof PreFlightRequestHandler;
	}

}
