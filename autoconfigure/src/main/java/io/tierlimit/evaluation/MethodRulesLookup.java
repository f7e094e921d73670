package io.tierlimit.evaluation;

import java.lang.reflect.Method;

/**
 * Finds the rules that apply to the calls of an annotated method.
 */
public interface MethodRulesLookup {

	/**
	 * Looks a method up.
	 * @param method the method of the class, or of an interface of the class
	 * @param type the class of the object that the method is called on
	 * @return the rules of the method, the same object in every look-up
	 */
	MethodRules of(Method method, Class<?> type);

	/**
	 * Whether no annotation with an enabled rule has been found so far.
	 * @return whether look-ups find no rules
	 */
	boolean isEmpty();

}
