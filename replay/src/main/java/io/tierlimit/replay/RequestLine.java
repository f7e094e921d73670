package io.tierlimit.replay;

/**
 * The first line of a request, such as {@code GET /orders?id=1 HTTP/1.1}.
 *
 * @param method the HTTP method
 * @param target the path and the query
 */
record RequestLine(String method, String target) {

	/**
	 * Parses a line, whose protocol may be missing.
	 * @throws InvalidLineException if the line has no method and target
	 */
	static RequestLine parse(String line) throws InvalidLineException {
		int method = line.indexOf(' ');
		int protocol = line.lastIndexOf(' ');
		int end = (protocol > method && line.startsWith("HTTP/", protocol + 1)) ? protocol : line.length();
		if (method <= 0 || end <= method + 1) {
			throw new InvalidLineException("no request line such as GET / HTTP/1.1");
		}
		return new RequestLine(line.substring(0, method), line.substring(method + 1, end));
	}

}
