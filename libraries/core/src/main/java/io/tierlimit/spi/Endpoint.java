package io.tierlimit.spi;

/**
 * A mapping of the application that serves requests.
 *
 * @param methods the mapping's own HTTP methods, sorted and separated by commas, or
 * {@code *} if it has no methods
 * @param pattern the mapping's path pattern, such as {@code /api/orders/{id}}
 */
public record Endpoint(String methods, String pattern) {

	@Override
	public String toString() {
		return this.methods + " " + this.pattern;
	}

}
