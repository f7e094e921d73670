package io.tierlimit.method;

import java.lang.reflect.Proxy;
import java.util.function.Supplier;

import io.tierlimit.RateLimitExceededException;
import io.tierlimit.Verdict;
import io.tierlimit.evaluation.CurrentRequest;
import io.tierlimit.evaluation.MethodRules;
import io.tierlimit.evaluation.MethodRulesLookup;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;

/**
 * Checks every call of an annotated method against its rules.
 */
final class RateLimitedInterceptor implements MethodInterceptor {

	private final Supplier<MethodRulesLookup> methods;

	private final Supplier<CurrentRequest> request;

	/**
	 * Creates an interceptor.
	 * @param methods finds a method's rules; looked up at the first call
	 * @param request evaluates calls; looked up at the first call
	 */
	RateLimitedInterceptor(Supplier<MethodRulesLookup> methods, Supplier<CurrentRequest> request) {
		this.methods = methods;
		this.request = request;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		MethodRules rules = this.methods.get().of(invocation.getMethod(), type(invocation));
		if (!rules.isEmpty()) {
			Verdict verdict = this.request.get().evaluateCall(rules, invocation.getArguments());
			if (!verdict.allowed()) {
				throw new RateLimitExceededException(verdict);
			}
		}
		return invocation.proceed();
	}

	private static Class<?> type(MethodInvocation invocation) {
		Object target = invocation.getThis();
		if (target == null) {
			return invocation.getMethod().getDeclaringClass();
		}
		// The target of another proxy, such as a repository's, may not implement the
		// annotated interface.
		return Proxy.isProxyClass(target.getClass()) ? target.getClass() : AopUtils.getTargetClass(target);
	}

}
