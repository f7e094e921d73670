package io.tierlimit.method;

import java.lang.reflect.Method;

import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/**
 * Matches the methods to which annotations apply.
 */
final class RateLimitedPointcut extends StaticMethodMatcherPointcut {

	RateLimitedPointcut(RateLimitedBeanScanner scanner) {
		setClassFilter(scanner::appliesTo);
	}

	@Override
	public boolean matches(Method method, Class<?> type) {
		return !RateLimitedOperation.of(AopUtils.getMostSpecificMethod(method, type), type).isEmpty();
	}

}
