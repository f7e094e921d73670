package io.tierlimit.replay;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import io.tierlimit.autoconfigure.TierlimitAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitMethodAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitServletAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitSwitchAutoConfiguration;
import io.tierlimit.autoconfigure.properties.FilterOrders;
import io.tierlimit.autoconfigure.properties.StandardBeans;
import io.tierlimit.evaluation.Sleeper;
import io.tierlimit.rule.InvalidRulesException;
import io.tierlimit.rule.Scope;
import io.tierlimit.spi.KeyResolver;
import io.tierlimit.spi.OverloadSignal;
import io.tierlimit.spi.PlanResolver;
import io.tierlimit.spi.web.RateLimitRejectionHandler;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.context.config.ConfigDataEnvironmentPostProcessor;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.context.annotation.AnnotatedBeanDefinitionReader;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.util.StringUtils;
import org.springframework.web.context.support.GenericWebApplicationContext;
import org.springframework.web.context.support.StandardServletEnvironment;

/**
 * The part of an application that limits requests: its configuration, and the
 * auto-configurations of the filter. There is no server.
 */
final class ReplayContext {

	private static final ConfigurationPropertyName RULES = ConfigurationPropertyName.of("tierlimit.rules");

	/** The number of elements in {@code tierlimit.rules.<id>}. */
	private static final int RULE_ELEMENTS = 3;

	/**
	 * Settings that a replay replaces: buckets are in memory, responses are not read, and
	 * plans come from the log.
	 */
	private static final Map<String, Object> REPLACED = Map.of("tierlimit.store", "memory",
			"tierlimit.redis.connection-factory", "", "tierlimit.headers.styles", "", "tierlimit.plan.jdbc.enabled",
			"false", "tierlimit.plan.key", "");

	private final Path configuration;

	private final ReplayOptions options;

	private final ReplayClock clock;

	private final VerdictRecorder verdicts;

	ReplayContext(Path configuration, ReplayOptions options, ReplayClock clock, VerdictRecorder verdicts) {
		this.configuration = configuration;
		this.options = options;
		this.clock = clock;
		this.verdicts = verdicts;
	}

	/**
	 * Starts the context.
	 * @throws IllegalArgumentException if the configuration cannot be read, or is not
	 * valid
	 */
	GenericWebApplicationContext start() {
		GenericWebApplicationContext context = new GenericWebApplicationContext();
		try {
			context.setEnvironment(environment());
			registerApplication(context.getBeanFactory(), context.getEnvironment());
			new AnnotatedBeanDefinitionReader(context).register(Filters.class);
			context.refresh();
			return context;
		}
		catch (RuntimeException ex) {
			context.close();
			throw new IllegalArgumentException(this.configuration + ": " + problem(ex), ex);
		}
	}

	private ConfigurableEnvironment environment() {
		String location = this.configuration.toAbsolutePath().normalize().toUri().toString();
		if (!Files.isReadable(this.configuration)) {
			throw new IllegalArgumentException("the file cannot be read");
		}
		if (location.contains(",") || location.contains(";")) {
			throw new IllegalArgumentException("the path must not contain commas and semicolons");
		}
		ConfigurableEnvironment environment = new StandardServletEnvironment();
		environment.getPropertySources()
			.addFirst(new MapPropertySource("replay", Map.of("spring.config.location", location)));
		ConfigDataEnvironmentPostProcessor.applyTo(environment, new DefaultResourceLoader(), null);
		environment.getPropertySources().replace("replay", new MapPropertySource("replay", REPLACED));
		if (!environment.getProperty("tierlimit.enabled", Boolean.class, true)) {
			throw new IllegalArgumentException("tierlimit.enabled is false, so there are no rules to replay");
		}
		return environment;
	}

	/** Registers the beans that an application provides. */
	private void registerApplication(ConfigurableListableBeanFactory beans, Environment environment) {
		String defaultPlan = environment.getProperty("tierlimit.plan.default");
		PlanResolver plans = (caller) -> {
			String plan = this.verdicts.fact(LoggedRequest.PLAN);
			return (plan != null || !StringUtils.hasText(defaultPlan)) ? plan : defaultPlan;
		};
		beans.registerSingleton("replayClock", this.clock);
		beans.registerSingleton("replayCalendar", this.clock.calendar());
		beans.registerSingleton("replayVerdicts", this.verdicts);
		beans.registerSingleton("replayPlans", plans);
		beans.registerSingleton("replaySleeper", (Sleeper) (time) -> {
			// A delayed request does not delay the replay.
		});
		beans.registerSingleton("replayRejections", (RateLimitRejectionHandler) (verdict, request, response) -> {
			// Nothing reads the response.
		});
		// There is no Spring Security. Rules that need results of authentications are not
		// replayed.
		beans.registerSingleton(StandardBeans.AUTHENTICATION, "results of authentications");
		beans.registerSingleton("replayEndpoints",
				new LoggedEndpoints(this.options.endpoints(), this.verdicts::status));
		if (this.options.springSecurity()) {
			// The filter that checks rules after authentication is created if this bean
			// exists.
			beans.registerSingleton(FilterOrders.SECURITY_BEAN, "Spring Security");
		}
		Set<String> scopes = namesInRules(environment, "scope");
		scopes.removeAll(Scope.BUILT_IN);
		for (String scope : scopes) {
			beans.registerSingleton(scope, (KeyResolver) (caller) -> this.verdicts.fact(scope));
		}
		for (String signal : namesInRules(environment, "adaptive", "signal")) {
			beans.registerSingleton(signal, (OverloadSignal) () -> false);
		}
	}

	/** The names of the application's beans in a property of all rules. */
	private static Set<String> namesInRules(Environment environment, String... property) {
		Set<String> names = new TreeSet<>();
		ConfigurationPropertySources.get(environment).forEach((source) -> {
			if (source instanceof IterableConfigurationPropertySource properties) {
				properties.forEach((name) -> {
					if (isInRule(name, property)) {
						String value = environment.getProperty(name.toString(), "");
						names.addAll(Set.of(StringUtils.tokenizeToStringArray(value, ",")));
					}
				});
			}
		});
		return names;
	}

	/** Whether a name is the name of a rule's property, with or without an index. */
	private static boolean isInRule(ConfigurationPropertyName name, String... property) {
		int elements = name.getNumberOfElements() - (name.isLastElementIndexed() ? 1 : 0);
		boolean inRule = elements == RULE_ELEMENTS + property.length && RULES.isAncestorOf(name);
		for (int i = 0; inRule && i < property.length; i++) {
			inRule = name.getElement(RULE_ELEMENTS + i, Form.UNIFORM).equals(property[i]);
		}
		return inRule;
	}

	private static String problem(Throwable failure) {
		Throwable cause = failure;
		while (cause.getCause() != null && !(cause instanceof InvalidRulesException)) {
			cause = cause.getCause();
		}
		return (cause.getMessage() != null) ? cause.getMessage() : cause.toString();
	}

	/**
	 * The auto-configurations of the filter.
	 */
	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ TierlimitSwitchAutoConfiguration.class, TierlimitMethodAutoConfiguration.class,
			TierlimitAutoConfiguration.class, TierlimitServletAutoConfiguration.class })
	static class Filters {

	}

}
