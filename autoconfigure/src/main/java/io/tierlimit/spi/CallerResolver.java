package io.tierlimit.spi;

/**
 * Says who asks on a thread that serves no web request: a job, a listener, an
 * asynchronous call.
 */
@FunctionalInterface
public interface CallerResolver {

	/**
	 * Finds the caller of this thread.
	 * @return the caller; one without any fact if nothing is known
	 */
	Caller resolve();

}
