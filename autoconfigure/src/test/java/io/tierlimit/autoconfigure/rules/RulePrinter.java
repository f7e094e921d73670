package io.tierlimit.autoconfigure.rules;

import io.tierlimit.autoconfigure.TierlimitAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitMethodAutoConfiguration;
import io.tierlimit.rule.Rule;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * An application in a separate process that prints its rules, each with its limits.
 */
final class RulePrinter {

	private RulePrinter() {
	}

	public static void main(String[] args) {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(TierlimitAutoConfiguration.class,
				TierlimitMethodAutoConfiguration.class)
			.web(WebApplicationType.NONE)
			.properties("spring.main.banner-mode=off", "logging.level.root=error")
			.run(args)) {
			for (Rule rule : context.getBean(ConfiguredRules.class).rules().rules()) {
				System.out.println(rule.id() + " " + rule.scope() + " " + rule.limits());
			}
		}
	}

}
