package io.tierlimit.autoconfigure.rules;

import java.util.Collection;
import java.util.function.Function;

/**
 * The names of the application's beans that rules can refer to.
 *
 * @param keyResolvers the names of the KeyResolver beans
 * @param others finds the names of other beans by their type
 */
record BeanNames(Collection<String> keyResolvers, Function<Class<?>, Collection<String>> others) {

	Collection<String> ofType(Class<?> type) {
		return this.others.apply(type);
	}

}
