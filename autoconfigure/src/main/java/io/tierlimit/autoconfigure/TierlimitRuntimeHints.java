package io.tierlimit.autoconfigure;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Registers what a native image must have: the scripts of stores and tables, and the
 * optional types that are looked up by name. Without a hint, a type would not be found,
 * and a present library would be treated as missing.
 */
final class TierlimitRuntimeHints implements RuntimeHintsRegistrar {

	private static final List<String> NAMES = List.of("io.github.resilience4j.circuitbreaker.CircuitBreaker",
			"org.postgresql.PGConnection", "org.springframework.boot.actuate.endpoint.annotation.Endpoint",
			"org.springframework.data.redis.connection.RedisConnectionFactory",
			"org.springframework.jdbc.core.JdbcTemplate",
			"org.springframework.security.authentication.AuthenticationEventPublisher",
			"org.springframework.security.authentication.event.AbstractAuthenticationEvent",
			"org.springframework.web.accept.ApiVersionStrategy", "org.springframework.web.servlet.HandlerMapping",
			"org.springframework.web.util.pattern.PathPattern");

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		NAMES.forEach((name) -> hints.reflection().registerTypeIfPresent(classLoader, name));
		hints.resources().registerPattern("io/tierlimit/jdbc/*.sql");
		hints.resources().registerPattern("io/tierlimit/store/redis/*.lua");
	}

}
