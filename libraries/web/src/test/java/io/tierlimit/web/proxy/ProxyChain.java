package io.tierlimit.web.proxy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A client and trusted proxies. Each proxy appends the address of its caller to the
 * received header. The client is chosen at random, not read from a header.
 */
final class ProxyChain {

	/** The notations of each client address; the first is the canonical form. */
	private static final String[][] CLIENTS = { { "203.0.113.7", "::ffff:203.0.113.7", "::FFFF:cb00:7107" },
			{ "198.51.100.200" }, { "9.255.255.255" }, { "11.0.0.0" }, { "192.0.2.1", "0:0:0:0:0:ffff:192.0.2.1" },
			{ "2001:db8::1", "2001:DB8:0:0::1", "2001:0db8::0.0.0.1" }, { "2001:db8:aaab::", "2001:db8:aaab:0::0" },
			{ "2001:db8:aaa9:ffff::", "2001:db8:aaa9:FFFF::" }, { "fe80::1", "fe80::1%eth0", "FE80::1%2" },
			{ "::1", "0:0:0:0:0:0:0:1" }, { "::a00:1", "::10.0.0.1" } };

	private static final String[][] PROXIES = { { "10.0.0.2", "::ffff:10.0.0.2", "::ffff:a00:2" }, { "10.255.255.255" },
			{ "10.0.0.0" }, { "2001:db8:aaaa::9", "2001:DB8:aaaa:0::0009" },
			{ "2001:db8:aaaa:ffff::1", "2001:db8:aaaa:ffff:0:0:0:1" } };

	private static final String[] NO_NODES = { "unknown", "_x", "_10.0.0.1", "", "6.6.6", "10.0.0.256",
			"6.6.6.6:123456", "localhost", "6.6.6.6/32", "[6.6.6.6]", "06.6.6.6" };

	private static final String[] NO_FORWARDED = { "", ";", "for", "for=", "for=\"\"", "by=6.6.6.6", "6.6.6.6",
			"for=6.6.6.6;for=6.6.6.6", "FOR=6.6.6.6;For=10.0.0.1", "for =6.6.6.6", "for= 6.6.6.6", "x=\"for=6.6.6.6\"",
			"x=\"\\\", for=6.6.6.6\"", "for=6.6.6.6 by=_p", "for=6.6.6.6:80", "for=[2001:db8::66]" };

	private static final String[] PARAMETERS = { "proto=https", "by=_p", "host=\"h:80\"", "host=\"a, for=6.6.6.6\"",
			"ext=\"\\\", for=6.6.6.6, x=\\\"\"", "ext=\"\\\\\"", "ext=\"\"", "by=\"[2001:db8:aaaa::9]\"", "x=\"é;\"",
			"" };

	private final ForwardedHeader header;

	private final Random random;

	private final List<String> elements = new ArrayList<>();

	private final String client;

	ProxyChain(ForwardedHeader header, Random random) {
		this.header = header;
		this.random = random;
		String reporter = "10.0.0.1";
		for (int proxies = random.nextInt(4); proxies > 0; proxies--) {
			String[] proxy = any(PROXIES);
			this.elements.add(0, element(node(any(proxy))));
			reporter = proxy[0];
		}
		String[] sender = any(CLIENTS);
		boolean reported = random.nextInt(3) > 0;
		this.elements.add(0, reported ? element(node(any(sender))) : noAddress());
		this.client = reported ? sender[0] : reporter;
	}

	/** The address that must be found. */
	String client() {
		return this.client;
	}

	/** Appends the elements of the proxies to the lines of the client. */
	List<String> appendTo(List<String> sent) {
		List<String> lines = new ArrayList<>(sent);
		for (String element : this.elements) {
			if (lines.isEmpty() || this.random.nextInt(3) == 0) {
				lines.add(element);
			}
			else {
				int last = lines.size() - 1;
				lines.set(last, lines.get(last) + "," + element);
			}
		}
		return lines;
	}

	private String node(String address) {
		boolean ipv6 = address.contains(":");
		boolean port = this.random.nextInt(3) == 0;
		String node = (ipv6 && (port || this.random.nextBoolean())) ? "[" + address + "]" : address;
		return port ? node + any(":0", ":443", ":65535", ":_p", ":_A.b-9_") : node;
	}

	private String element(String node) {
		if (this.header == ForwardedHeader.X_FORWARDED_FOR) {
			return space() + node + space();
		}
		List<String> pairs = new ArrayList<>();
		for (int i = this.random.nextInt(3); i > 0; i--) {
			pairs.add(any(PARAMETERS));
		}
		pairs.add(this.random.nextInt(pairs.size() + 1), any("for", "For", "FOR") + "=" + value(node));
		return space() + String.join(";" + space(), pairs) + space();
	}

	private String value(String node) {
		if (!node.contains(":") && this.random.nextBoolean()) {
			return node;
		}
		StringBuilder quoted = new StringBuilder("\"");
		for (int i = 0; i < node.length(); i++) {
			quoted.append((this.random.nextInt(20) == 0) ? "\\" : "").append(node.charAt(i));
		}
		return quoted.append('"').toString();
	}

	/** An element without an address, with closed quotes. */
	private String noAddress() {
		if (this.header == ForwardedHeader.X_FORWARDED_FOR) {
			return element(any(NO_NODES));
		}
		return this.random.nextBoolean() ? any(NO_FORWARDED) : "for=\"" + any(NO_NODES) + "\"";
	}

	private String space() {
		return any("", "", " ", "\t", " \t ");
	}

	@SafeVarargs
	private <T> T any(T... choices) {
		return choices[this.random.nextInt(choices.length)];
	}

}
