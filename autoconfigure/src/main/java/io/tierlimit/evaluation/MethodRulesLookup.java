package io.tierlimit.evaluation;

import java.lang.reflect.Method;

/**
 * Finds the rules that apply to the calls of an annotated method.
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
	 * Whether no look-up can find rules.
	 * @return whether no annotated method has been found so far
	 */
	boolean isEmpty();

}
