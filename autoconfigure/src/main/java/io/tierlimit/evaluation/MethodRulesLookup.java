package io.tierlimit.evaluation;

import java.lang.reflect.Method;

/**
 * Finds the rules that annotations hold a method's calls to.
 */
public interface MethodRulesLookup {

	/**
	 * Looks a method up.
	 * @param method a method of the class or of an interface
	 * @param type the class that has the method
	 * @return its rules, the same object for the same method
	 */
	MethodRules of(Method method, Class<?> type);

	/**
	 * Whether a look-up is in vain.
	 * @return whether there is no annotation on any method so far
	 */
	boolean isEmpty();

}
