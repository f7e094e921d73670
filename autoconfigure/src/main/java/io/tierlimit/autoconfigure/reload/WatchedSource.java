package io.tierlimit.autoconfigure.reload;

import java.io.IOException;

/**
 * A file or a directory of the configuration. Its string is the path, for logs.
 */
interface WatchedSource {

	/**
	 * Reads the file or directory again. If its content has changed since the last call
	 * (or, for the first call, since startup), replaces its properties in the
	 * environment.
	 * @return whether the content has changed
	 * @throws IOException if it cannot be read
	 * @throws RuntimeException if the content is not valid; the environment is not
	 * changed then
	 */
	boolean update() throws IOException;

}
