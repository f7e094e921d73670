package io.tierlimit.autoconfigure.settings;

import java.util.List;

import javax.sql.DataSource;

import io.tierlimit.autoconfigure.properties.StandardBeans;
import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.autoconfigure.properties.TierlimitProperties.Store;
import io.tierlimit.rule.KebabCase;
import io.tierlimit.store.BucketStore;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.AotDetector;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Checks whether the store and the tables that are enabled have their connections.
 *
 * @param beans has the connections
 * @param problems collects the problems
 */
record RequiredBeansCheck(ConfigurableListableBeanFactory beans, SettingsProblems problems) {

	private static final String FACTORY = "org.springframework.data.redis.connection.RedisConnectionFactory";

	private static final String BREAKER = "io.github.resilience4j.circuitbreaker.CircuitBreaker";

	private static final String TEMPLATE = "org.springframework.jdbc.core.JdbcTemplate";

	void checkStore(TierlimitProperties properties) {
		if (!this.beans.containsBean(StandardBeans.STORE) && !names(BucketStore.class).isEmpty()) {
			return;
		}
		boolean inRedis = isConfigured("TierlimitRedisAutoConfiguration");
		if (properties.store() != Store.MEMORY) {
			checkRedis(properties.store(), properties.redis().connectionFactory(), inRedis);
		}
		else if (inRedis) {
			addFrozen("tierlimit.store", "memory", "not memory");
		}
	}

	private void checkRedis(Store store, @Nullable String factory, boolean configured) {
		List<String> names = isPresent(FACTORY) ? names(RedisConnectionFactory.class) : List.of();
		boolean required = store == Store.REDIS;
		if (names.isEmpty()) {
			if (required || factory != null) {
				addMissing(required ? "tierlimit.store" : "tierlimit.redis.connection-factory",
						required ? "redis" : "'" + factory + "'", "RedisConnectionFactory",
						"spring-boot-starter-data-redis");
			}
		}
		else if (requireLibrary("tierlimit.store", KebabCase.of(store), BREAKER,
				"io.github.resilience4j:resilience4j-circuitbreaker")
				&& requireNamed("tierlimit.redis.connection-factory", factory, "RedisConnectionFactory", names)
				&& required && !configured) {
			addFrozen("tierlimit.store", "redis", "memory");
		}
	}

	void checkTables(TierlimitProperties properties) {
		String dataSource = properties.jdbc().dataSource();
		checkTables("tierlimit.audit.jdbc.enabled", properties.audit().jdbc().enabled(),
				"TierlimitAuditAutoConfiguration", dataSource);
		checkTables("tierlimit.jdbc.rules.enabled", properties.jdbc().rules().enabled(),
				"TierlimitRuleTablesAutoConfiguration", dataSource);
		checkTables("tierlimit.plan.jdbc.enabled", properties.plan().jdbc().enabled(),
				"TierlimitPlanTableAutoConfiguration", dataSource);
	}

	/** Test slices do not configure tables, so they do not require a database. */
	private void checkTables(String property, boolean enabled, String configuration, @Nullable String dataSource) {
		boolean configured = isConfigured(configuration);
		List<String> names = names(DataSource.class);
		if (enabled != configured && AotDetector.useGeneratedArtifacts()) {
			addFrozen(property, enabled, configured);
		}
		else if (enabled && configured && requireLibrary(property, true, TEMPLATE, "org.springframework:spring-jdbc")) {
			if (names.isEmpty()) {
				addMissing(property, true, "DataSource", "spring-boot-starter-jdbc");
			}
			else {
				requireNamed("tierlimit.jdbc.data-source", dataSource, "DataSource", names);
			}
		}
	}

	private void addFrozen(String property, Object value, Object before) {
		this.problems.add(
				property + " is " + value + ", but was " + before
						+ " when the application was processed ahead of time, or an auto-configuration is excluded",
				"Build the application again with this value and its profiles, or change {}", property);
	}

	private void addMissing(String property, Object value, String type, String starter) {
		this.problems.add(property + " is " + value + ", but there is no " + type + " bean",
				"Add " + starter + " or define such a bean, or change {}", property);
	}

	private boolean requireNamed(String property, @Nullable String name, String type, List<String> names) {
		boolean valid = name == null || names.contains(name);
		if (!valid) {
			this.problems.add(property + " is '" + name + "', but the " + type + " beans are " + names, "Correct",
					property);
		}
		return valid;
	}

	private boolean requireLibrary(String property, Object value, String type, String library) {
		boolean present = isPresent(type);
		if (!present) {
			this.problems.add(property + " is " + value + ", but " + library + " is not on the class path",
					"Add it, or change {}", property);
		}
		return present;
	}

	private boolean isConfigured(String configuration) {
		return this.beans.containsBean("io.tierlimit.autoconfigure." + configuration);
	}

	private List<String> names(Class<?> type) {
		return List.of(this.beans.getBeanNamesForType(type, true, false));
	}

	private boolean isPresent(String type) {
		return ClassUtils.isPresent(type, this.beans.getBeanClassLoader());
	}

}
