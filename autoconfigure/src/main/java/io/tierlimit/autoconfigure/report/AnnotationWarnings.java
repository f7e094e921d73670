package io.tierlimit.autoconfigure.report;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import io.tierlimit.autoconfigure.rules.ConfiguredRules;
import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.evaluation.RulesInForce;
import io.tierlimit.method.RateLimitedBeanScanner;
import io.tierlimit.method.RateLimitedOperationSource;
import io.tierlimit.rule.Rule;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Reads the annotations when all beans are created, and finds those without effect.
 */
final class AnnotationWarnings {

	private final RateLimitedBeanScanner scanner;

	private final RateLimitedOperationSource methods;

	private final RulesInForce rules;

	private final ConfiguredRules configured;

	private final ConfigurableListableBeanFactory beans;

	AnnotationWarnings(RateLimitedBeanScanner scanner, RateLimitedOperationSource methods, RulesInForce rules,
			ConfiguredRules configured, ConfigurableListableBeanFactory beans) {
		this.scanner = scanner;
		this.methods = methods;
		this.rules = rules;
		this.configured = configured;
		this.beans = beans;
	}

	/**
	 * Checks the annotations that were found after the rules were read, and those that
	 * will be found later.
	 * @return the ids of the rules that annotations name or define
	 */
	Set<String> readAll() {
		readMore();
		this.scanner.whenMore(this::readMore);
		return this.scanner.uses()
			.stream()
			.map((use) -> this.configured.read(use, this::rule))
			.filter(Objects::nonNull)
			.map(Rule::id)
			.collect(Collectors.toSet());
	}

	private void readMore() {
		this.configured.check(this.scanner, this::rule);
		this.methods.read(this.scanner, this.rules.current());
	}

	private @Nullable Rule rule(String id) {
		CompiledRule rule = this.rules.current().rule(id);
		return (rule != null) ? rule.rule() : null;
	}

	long count() {
		return this.scanner.methods();
	}

	/** Annotations without effect: full sentences for each bean. */
	List<String> withoutProxy() {
		return this.scanner.withoutProxy(this.beans)
			.entrySet()
			.stream()
			.map((bean) -> "@RateLimited on " + bean.getValue().getTypeName() + " has no effect on the bean '"
					+ bean.getKey() + "', which was created without a proxy. If a BeanPostProcessor requires the bean, "
					+ "inject an ObjectProvider of it there. Mocks have no proxy.")
			.toList();
	}

}
