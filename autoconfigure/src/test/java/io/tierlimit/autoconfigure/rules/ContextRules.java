package io.tierlimit.autoconfigure.rules;

import java.util.List;
import java.util.Objects;

import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.evaluation.ReloadResult.Outcome;
import io.tierlimit.evaluation.RuleReloader;
import io.tierlimit.evaluation.ActiveRules;
import io.tierlimit.rule.Rule;

import org.springframework.context.ApplicationContext;

/**
 * The rules of an application.
 */
final class ContextRules {

	private ContextRules() {
	}

	static Outcome reload(ApplicationContext context) {
		return context.getBean(RuleReloader.class).reload().outcome();
	}

	static List<String> ids(ApplicationContext context) {
		return context.getBean(ActiveRules.class).current().all().stream().map((rule) -> rule.rule().id()).toList();
	}

	static Rule rule(ApplicationContext context, String id) {
		CompiledRule rule = context.getBean(ActiveRules.class).current().rule(id);
		return Objects.requireNonNull(rule, id).rule();
	}

}
