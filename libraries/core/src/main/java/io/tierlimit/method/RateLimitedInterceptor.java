package io.tierlimit.method;

import java.lang.reflect.Proxy;
import java.util.function.Supplier;

import io.tierlimit.RateLimitExceededException;
import io.tierlimit.Verdict;
import io.tierlimit.evaluation.CurrentRequest;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;

/**
 * Checks every call to an annotated method against the rules of the method.
 */
final class RateLimitedInterceptor implements MethodInterceptor {

	private final Supplier<CurrentRequest> request;

	/**
	 * Creates an interceptor.
	 * @param request supplies the object that evaluates calls, when a method is called
	 */
	RateLimitedInterceptor(Supplier<CurrentRequest> request) {
		this.request = request;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Verdict verdict = this.request.get()
			.evaluateCall(invocation.getMethod(), type(invocation), invocation.getArguments());
		if (!verdict.allowed()) {
			throw new RateLimitExceededException(verdict);
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
