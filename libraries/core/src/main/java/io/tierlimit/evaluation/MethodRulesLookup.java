package io.tierlimit.evaluation;

import java.lang.reflect.Method;

/**
 * Finds the rules that apply to calls to an annotated method.
 */
public interface MethodRulesLookup {

	/**
	 * Looks up a method.
	 * @param rules the rule set
	 * @param method the method of the class, or of an interface of the class
	 * @param type the class of the object that the method is called on
	 * @return the rules of the method; look-ups with the same rule set return the same
	 * object
	 */
	MethodRules of(CompiledRules rules, Method method, Class<?> type);

	/**
	 * Whether a method has annotations, even if their rules are disabled.
	 * @param method the method of the class, or of an interface of the class
	 * @param type the class
	 * @return whether it has annotations
	 */
	boolean isAnnotated(Method method, Class<?> type);

	/**
	 * Whether no annotation has been found so far.
	 * @return whether look-ups find no rules
	 */
	boolean isEmpty();

}
