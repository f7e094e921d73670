package io.tierlimit.key;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.net.URL;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Registers the methods that expressions call on facts, so that a native image has them:
 * on texts, numbers, and the values of claims. SpEL looks methods up in the class of a
 * value, so collections are registered with their usual classes.
 */
public final class ExpressionHints implements RuntimeHintsRegistrar {

	private static final List<Class<?>> TYPES = List.of(String.class, Boolean.class, Character.class, Byte.class,
			Short.class, Integer.class, Long.class, Float.class, Double.class, BigDecimal.class, BigInteger.class,
			Instant.class, URI.class, URL.class, UUID.class, Collection.class, List.class, Set.class, Map.class,
			ArrayList.class, HashMap.class, LinkedHashMap.class, LinkedHashSet.class, List.of().getClass(),
			List.of(1).getClass(), Set.of().getClass(), Set.of(1).getClass(), Map.of().getClass(),
			Map.of(1, 1).getClass());

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		TYPES.forEach((type) -> hints.reflection().registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS));
	}

}
