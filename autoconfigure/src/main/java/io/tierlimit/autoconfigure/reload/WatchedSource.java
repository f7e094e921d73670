package io.tierlimit.autoconfigure.reload;

import java.io.IOException;

/**
 * A file or a directory of the configuration.
 */
interface WatchedSource {

	/**
	 * Reads it again. If it has changed since the last call, or at the first call since
	 * startup, replaces what the environment has of it.
	 * @return whether it has changed
	 * @throws IOException if it cannot be read
	 * @throws RuntimeException if its content is not valid; the environment has not
	 * changed
	 */
	boolean update() throws IOException;

	/** Returns the path, for logs. */
	@Override
	String toString();

}
