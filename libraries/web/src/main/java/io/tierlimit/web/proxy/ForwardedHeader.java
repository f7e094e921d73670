package io.tierlimit.web.proxy;

import io.tierlimit.address.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * The header in which trusted proxies report the address of their client.
 */
public enum ForwardedHeader {

	/** The standard header (RFC 7239), as in {@code for=192.0.2.1;proto=https}. */
	FORWARDED("Forwarded") {

		@Override
		int elementStart(String line, int end) {
			return ForwardedElement.start(line, end);
		}

		@Override
		@Nullable IpAddress address(String element) {
			String node = ForwardedElement.node(element);
			return (node != null) ? NodeAddress.parse(node) : null;
		}

	},

	/** The most common header: addresses, separated by commas. */
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

	private final String headerName;

	ForwardedHeader(String headerName) {
		this.headerName = headerName;
	}

	/**
	 * The name of the header.
	 * @return the name in its usual case
	 */
	public String headerName() {
		return this.headerName;
	}

	/**
	 * Finds the start of an element by its end. The result does not depend on the part of
	 * the line before the element.
	 * @param line one line of the header
	 * @param end where the element ends
	 * @return where it starts: at 0 or after a comma
	 */
	abstract int elementStart(String line, int end);

	/**
	 * Reads an element.
	 * @param element the element without surrounding spaces
	 * @return the address of the client or proxy, or {@code null} if the element has no
	 * address
	 */
	abstract @Nullable IpAddress address(String element);

}
