package io.tierlimit.spi;

/**
 * Reports whether a resource is overloaded. For example, an implementation can return
 * whether many threads wait for a connection. A rule refers to the bean by its name in
 * {@code adaptive.signal}.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface OverloadSignal {

	/**
	 * Whether the resource is overloaded now. Called once per second, in a thread of
	 * Tierlimit that all signals share. For this reason, the method must return at once.
	 * Its result should reflect a decrease of the load within a few seconds. An exception
	 * is treated as {@code false}, and is logged once.
	 * @return whether the rates of the rules that refer to the signal are reduced
	 */
	boolean isOverloaded();

}
