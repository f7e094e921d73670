package io.tierlimit.replay;

/**
 * Reads the request of a line.
 */
interface LineParser {

	/**
	 * Reads a line.
	 * @param line a line that is not blank
	 * @throws InvalidLineException if the line contains no request
	 */
	LoggedRequest parse(String line) throws InvalidLineException;

}
