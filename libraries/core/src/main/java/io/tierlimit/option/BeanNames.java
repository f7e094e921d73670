package io.tierlimit.option;

import java.util.Collection;
import java.util.function.Function;

import io.tierlimit.limit.Algorithm;
import org.jspecify.annotations.Nullable;

/**
 * The names of the application's beans that rules can refer to, or that rules depend on.
 *
 * @param keyResolvers the names of the KeyResolver beans
 * @param others finds the names of other beans by their type
 * @param storesWithout finds the name of the store if it does not support an algorithm
 */
public record BeanNames(Collection<String> keyResolvers, Function<Class<?>, Collection<String>> others,
		Function<Algorithm, @Nullable String> storesWithout) {

}
