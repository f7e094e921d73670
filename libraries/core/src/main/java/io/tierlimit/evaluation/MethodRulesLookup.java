package io.tierlimit.evaluation;

import java.lang.reflect.Method;

/**
 * Finds the rules that apply to the calls of an annotated method.
 */
public interface MethodRulesLookup {

	/**
	 * Looks a method up.
	 * @param rules the rule set
	 * @param method the method of the class, or of an interface of the class
	 * @param type the class of the object that the method is called on
	 * @return the rules of the method, the same object in every look-up with the same
	 * rule set
	 */
	MethodRules of(CompiledRules rules, Method method, Class<?> type);

	/**
	 * Whether a method has annotations, even if their rules are disabled.
	 * @param method the method of the class, or of an interface of the class
	 * @param type the class
	 * @return whether it has any
	 */
	boolean isAnnotated(Method method, Class<?> type);

	/**
	 * Whether no annotation has been found so far.
	 * @return whether look-ups find no rules
	 */
	boolean isEmpty();

}
