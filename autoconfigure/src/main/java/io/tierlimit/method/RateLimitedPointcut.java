package io.tierlimit.method;

import java.lang.reflect.Method;

import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/**
 * Matches what annotations hold.
 */
final class RateLimitedPointcut extends StaticMethodMatcherPointcut {

	RateLimitedPointcut(RateLimitedClasses classes) {
		setClassFilter((type) -> !classes.of(type).methods().isEmpty());
	}

	@Override
	public boolean matches(Method method, Class<?> type) {
		return !RateLimitedUses.of(AopUtils.getMostSpecificMethod(method, type), type).isEmpty();
	}

}
