package io.tierlimit.spi;

/**
 * Resolves the caller of an annotated method on a thread that does not serve a web
 * request: in a job, a message listener, or an asynchronous call.
 */
@FunctionalInterface
public interface CallerResolver {

	/**
	 * Resolves the caller on the current thread.
	 * @return the caller; {@link Caller#UNKNOWN} if it is not known
	 */
	Caller resolve();

}
