package io.tierlimit.spi;

/**
 * Finds the caller on a thread that serves no web request: in a job, a message listener,
 * or an asynchronous call.
 */
@FunctionalInterface
public interface CallerResolver {

	/**
	 * Finds the caller of this thread.
	 * @return the caller; {@link Caller#UNKNOWN} if there is none
	 */
	Caller resolve();

}
