package io.tierlimit.method;

import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.tierlimit.evaluation.CurrentRequest;
import io.tierlimit.evaluation.RunningCall;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;

/**
 * Checks every call to an annotated method against the rules of the method.
 *
 * @param request supplies the object that evaluates calls, when a method is called
 */
record RateLimitedInterceptor(Supplier<CurrentRequest> request) implements MethodInterceptor {

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		RunningCall call = this.request.get()
			.beginCall(invocation.getMethod(), type(invocation), invocation.getArguments());
		return (call == RunningCall.WITHOUT_PERMITS) ? invocation.proceed() : proceed(invocation, call);
	}

	/**
	 * Ends the call when the method has returned. If the method returns a stage, the call
	 * ends when the stage completes.
	 */
	private static @Nullable Object proceed(MethodInvocation invocation, RunningCall call) throws Throwable {
		boolean continues = false;
		try {
			Object result = invocation.proceed();
			if (result instanceof CompletionStage<?> stage) {
				boolean replaceable = invocation.getMethod().getReturnType().isAssignableFrom(CompletableFuture.class);
				if (replaceable) {
					result = completedAfterEnd(stage, call);
				}
				else {
					stage.whenComplete((value, failure) -> call.end());
				}
				continues = true;
			}
			return result;
		}
		finally {
			if (!continues) {
				call.end();
			}
		}
	}

	/**
	 * Returns a future that completes like the stage, after the call has ended. A thread
	 * that waits for the future can then call the method again.
	 */
	@SuppressWarnings("FutureReturnValueIgnored") // the future has all results
	private static CompletableFuture<@Nullable Object> completedAfterEnd(CompletionStage<?> stage, RunningCall call) {
		CompletableFuture<@Nullable Object> future = new CompletableFuture<>();
		stage.whenComplete((value, failure) -> {
			try {
				call.end();
			}
			finally {
				if (failure != null) {
					future.completeExceptionally(failure);
				}
				else {
					future.complete(value);
				}
			}
		});
		future.whenComplete((value, failure) -> {
			if (future.isCancelled() && stage instanceof CompletableFuture<?> original) {
				original.cancel(true);
			}
		});
		return future;
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
