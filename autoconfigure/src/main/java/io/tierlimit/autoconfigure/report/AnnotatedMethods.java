package io.tierlimit.autoconfigure.report;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import io.tierlimit.autoconfigure.rules.ConfiguredRules;
import io.tierlimit.method.RateLimitedClasses;
import io.tierlimit.method.RateLimitedMethods;
import io.tierlimit.rule.Rule;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * What annotations hold once all beans are made.
 */
final class AnnotatedMethods {

	private final RateLimitedClasses classes;

	private final RateLimitedMethods methods;

	private final ConfiguredRules configured;

	private final ConfigurableListableBeanFactory beans;

	AnnotatedMethods(RateLimitedClasses classes, RateLimitedMethods methods, ConfiguredRules configured,
			ConfigurableListableBeanFactory beans) {
		this.classes = classes;
		this.methods = methods;
		this.configured = configured;
		this.beans = beans;
	}

	/**
	 * Checks the annotations that came to light since the rules were read, and from now
	 * on each that does.
	 * @return the ids of the rules that annotations hold methods to
	 */
	Set<String> readAll() {
		readMore();
		this.classes.whenMore(this::readMore);
		return this.classes.uses()
			.stream()
			.map(this.configured::read)
			.filter(Objects::nonNull)
			.map(Rule::id)
			.collect(Collectors.toSet());
	}

	private void readMore() {
		this.configured.check(this.classes);
		this.methods.read(this.classes);
	}

	long count() {
		return this.classes.methods();
	}

	/** Annotations without effect: a sentence for each bean, without its full stop. */
	List<String> withoutProxy() {
		return this.classes.withoutProxy(this.beans)
			.entrySet()
			.stream()
			.map((bean) -> "@RateLimited on " + bean.getValue().getTypeName() + " holds no call of the bean '"
					+ bean.getKey() + "': it was made without a proxy, which happens to what a BeanPostProcessor needs "
					+ "(have that take an ObjectProvider of it), and to mocks")
			.toList();
	}

}
