package io.tierlimit.autoconfigure.rules;

import java.time.InstantSource;
import java.util.Map;

import io.tierlimit.RuleDefinition;
import io.tierlimit.autoconfigure.settings.BoundSettings;
import io.tierlimit.autoconfigure.settings.EarlyFailure;
import io.tierlimit.autoconfigure.settings.SettingsCheck;
import io.tierlimit.method.RateLimitedBeanScanner;
import io.tierlimit.rule.reader.Problems;
import io.tierlimit.spi.RuleSource;

import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.env.Environment;

/**
 * Checks the rules before any bean is created, so that the application fails before the
 * web server starts if there is a mistake. Otherwise a filter would require the rules
 * while the server starts, and both the server and Spring would log errors before the
 * failure analysis.
 * <p>
 * Rules that beans define cannot be read so early, because these beans would be created
 * without their post-processors. In that case all rules are checked together later,
 * before the web server is created. For the same reason, it is checked later whether the
 * application's own store supports the rules.
 *
 * @param environment has all properties
 */
record RulesCheck(Environment environment) implements BeanFactoryPostProcessor {

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
		// During a build, the properties may differ from the properties of the running
		// application.
		if (Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)) {
			return;
		}
		EarlyFailure.of(() -> check(beans, BoundSettings.bind(this.environment)));
	}

	private void check(ConfigurableListableBeanFactory beans, BoundSettings settings) {
		Problems problems = new Problems();
		if (hasRulesInBeans(beans)) {
			// A source of rules in tables cannot be created without a database.
			new SettingsCheck(beans, this.environment, problems).checkDataSource(settings.properties());
		}
		else {
			RulesLoader loader = new RulesLoader(beans, this.environment, beans.getBean(RateLimitedBeanScanner.class),
					settings, InstantSource.system(), () -> null);
			loader.checkSettings(problems);
			loader.load(new RuleSources(Map.of()).none(), problems);
		}
		problems.report();
	}

	private static boolean hasRulesInBeans(ConfigurableListableBeanFactory beans) {
		return beans.getBeanNamesForType(RuleDefinition.class, true, false).length > 0
				|| beans.getBeanNamesForType(RuleSource.class, true, false).length > 0;
	}

}
