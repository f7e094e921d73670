package io.tierlimit.autoconfigure.report;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import io.tierlimit.autoconfigure.rules.ConfiguredRules;
import io.tierlimit.method.RateLimitedBeanScanner;
import io.tierlimit.method.RateLimitedOperationSource;
import io.tierlimit.rule.Rule;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * What annotations apply to when all beans are made.
 */
final class AnnotationWarnings {

	private final RateLimitedBeanScanner scanner;

	private final RateLimitedOperationSource methods;

	private final ConfiguredRules configured;

	private final ConfigurableListableBeanFactory beans;

	AnnotationWarnings(RateLimitedBeanScanner scanner, RateLimitedOperationSource methods, ConfiguredRules configured,
			ConfigurableListableBeanFactory beans) {
		this.scanner = scanner;
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
		this.scanner.whenMore(this::readMore);
		return this.scanner.uses()
			.stream()
			.map(this.configured::read)
			.filter(Objects::nonNull)
			.map(Rule::id)
			.collect(Collectors.toSet());
	}

	private void readMore() {
		this.configured.check(this.scanner);
		this.methods.read(this.scanner);
	}

	long count() {
		return this.scanner.methods();
	}

	/** Annotations without effect: a sentence for each bean, without its full stop. */
	List<String> withoutProxy() {
		return this.scanner.withoutProxy(this.beans)
			.entrySet()
			.stream()
			.map((bean) -> "@RateLimited on " + bean.getValue().getTypeName() + " holds no call of the bean '"
					+ bean.getKey() + "': it was made without a proxy, which happens to what a BeanPostProcessor needs "
					+ "(have that take an ObjectProvider of it), and to mocks")
			.toList();
	}

}
