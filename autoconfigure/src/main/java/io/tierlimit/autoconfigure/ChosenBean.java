package io.tierlimit.autoconfigure;

import java.util.List;

import io.tierlimit.rule.InvalidRulesException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;

/**
 * Chooses one of the application's beans of a type.
 */
final class ChosenBean {

	private ChosenBean() {
	}

	/**
	 * Chooses a bean.
	 * @param <T> the type
	 * @param type the type
	 * @param property the property that may name the bean
	 * @param name the value of the property, or {@code null}
	 * @param beans has the beans
	 * @return the bean of that name; without a name, the bean that Spring would inject
	 * @throws InvalidRulesException if there is no name, and Spring cannot choose
	 */
	static <T> T of(Class<T> type, String property, @Nullable String name, ListableBeanFactory beans) {
		T bean = (name != null) ? beans.getBean(name, type) : beans.getBeanProvider(type).getIfUnique();
		if (bean == null) {
			throw new InvalidRulesException(
					List.of(property + " is required, because there are several " + type.getSimpleName() + " beans: "
							+ List.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, type, true, false))
							+ ". Set it to the name of one of them."));
		}
		return bean;
	}

}
