package io.tierlimit.option;

import java.util.Collection;
import java.util.function.Function;

/**
 * The names of the application's beans that rules can refer to.
 *
 * @param keyResolvers the names of the KeyResolver beans
 * @param others finds the names of other beans by their type
 */
public record BeanNames(Collection<String> keyResolvers, Function<Class<?>, Collection<String>> others) {

	/**
	 * The names of beans of a type.
	 * @param type the type
	 * @return the names
	 */
	public Collection<String> ofType(Class<?> type) {
		return this.others.apply(type);
	}

}
