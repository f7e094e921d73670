package io.tierlimit.spi;

/**
 * Reports whether a resource is overloaded, such as by the number of threads that wait
 * for a connection. A rule refers to the bean by its name in {@code adaptive.signal}.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface OverloadSignal {

	/**
	 * Whether the resource is overloaded now. Called once per second, in a thread of
	 * Tierlimit that all signals share. So the method should return at once, and reflect
	 * a decrease of the load within a few seconds. An exception counts as {@code false},
	 * and is logged once.
	 * @return whether the rates of the rules are reduced
	 */
	boolean isOverloaded();

}
