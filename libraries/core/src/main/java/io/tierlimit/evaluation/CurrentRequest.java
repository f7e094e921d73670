package io.tierlimit.evaluation;

import java.lang.reflect.Method;

import io.tierlimit.rule.Account;
import org.jspecify.annotations.Nullable;

/**
 * The web request that the current thread serves, if any. Calls to annotated methods and
 * authentications are part of this request.
 */
@FunctionalInterface
public interface CurrentRequest {

	/**
	 * Evaluates a call to an annotated method, and waits for its permits. The caller must
	 * end the call.
	 * @param method the method of the class, or of an interface of the class
	 * @param type the class of the object that the method is called on
	 * @param arguments the arguments of the call
	 * @return the call; {@link RunningCall#WITHOUT_PERMITS} if it holds no permits
	 * @throws io.tierlimit.RateLimitExceededException if the call is rejected
	 */
	RunningCall beginCall(Method method, Class<?> type, @Nullable Object[] arguments);

	/**
	 * The transaction of the request.
	 * @return the transaction; {@code null} if the thread serves no request
	 */
	default @Nullable RateLimitTransaction transaction() {
		return null;
	}

	/** Records that an authentication has failed within the request. */
	default void recordFailedAuthentication() {
	}

	/**
	 * Records that an account has authenticated within the request.
	 * @param account the account
	 */
	default void recordAuthentication(Account account) {
	}

}
