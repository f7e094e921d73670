package io.tierlimit.web.address;

import org.jspecify.annotations.Nullable;

/**
 * The header field in which trusted proxies report who called them.
 */
public enum ForwardedHeader {

	/** The standard one (RFC 7239), as in {@code for=192.0.2.1;proto=https}. */
	FORWARDED("Forwarded") {

		@Override
		int elementStart(String line, int end) {
			return ForwardedElementScanner.start(line, end);
		}

		@Override
		@Nullable IpAddress address(String element) {
			String node = ForwardedElement.node(element);
			return (node != null) ? NodeAddress.parse(node) : null;
		}

	},

	/** The usual one: addresses and commas. */
	X_FORWARDED_FOR("X-Forwarded-For") {

		@Override
		int elementStart(String line, int end) {
			return line.lastIndexOf(',', end - 1) + 1;
		}

		@Override
		@Nullable IpAddress address(String element) {
			return NodeAddress.parse(element);
		}

	};

	private final String fieldName;

	ForwardedHeader(String fieldName) {
		this.fieldName = fieldName;
	}

	/**
	 * The name of the header field.
	 * @return as it is usually written
	 */
	public String fieldName() {
		return this.fieldName;
	}

	/**
	 * Finds an element by its end. What stands left of the element has no say in it.
	 * @param line one line of the header
	 * @param end where the element ends
	 * @return where it starts: at 0 or behind a comma
	 */
	abstract int elementStart(String line, int end);

	/**
	 * Reads an element.
	 * @param element the element without spaces around
	 * @return the address of the client or proxy that it reports, or {@code null} if it
	 * reports none
	 */
	abstract @Nullable IpAddress address(String element);

}
