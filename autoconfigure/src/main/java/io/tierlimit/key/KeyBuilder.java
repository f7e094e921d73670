package io.tierlimit.key;

import java.util.ArrayList;
import java.util.List;

/**
 * Builds a key. Different parts always result in different keys, except for a collision
 * of hashes.
 * <p>
 * Parts are separated by {@code |}. A backslash escapes a separator, a backslash and a
 * leading parenthesis within a part. Text in parentheses is a marker of Tierlimit, such
 * as {@code (none)}, or {@code (hash)} before a hash.
 */
final class KeyBuilder {

	/** Replaces a part that the caller does not have. */
	private static final String NONE = "(none)";

	/** Precedes an address that replaces a part that the caller does not have. */
	private static final String ADDRESS = "(ip)";

	private static final String HASH = "(hash)";

	private final StringBuilder key = new StringBuilder();

	private final KeyHash hash;

	private boolean first = true;

	/** Where the last part begins. */
	private int last;

	/**
	 * Creates an empty key.
	 * @param hash hashes values that must not be stored
	 */
	KeyBuilder(KeyHash hash) {
		this.hash = hash;
	}

	/**
	 * Adds a value that the application defines: an endpoint, a plan that the rule lists.
	 * @param part any text; never hashed
	 * @return this object
	 */
	KeyBuilder addConstant(String part) {
		separate();
		append(part);
		return this;
	}

	/**
	 * Adds a fact of the caller: a user's name, an address.
	 * @param part any text
	 * @return this object
	 */
	KeyBuilder addFact(String part) {
		separate();
		append(part, this.hash.hashesFact(part));
		return this;
	}

	/**
	 * Adds a value that may be client-supplied, such as a credential.
	 * @param part any text
	 * @return this object
	 */
	KeyBuilder addSensitive(String part) {
		separate();
		append(part, this.hash.hashesSensitive(part));
		return this;
	}

	/**
	 * Adds the address instead of a part that the caller does not have.
	 * @param address the caller's address
	 * @return this object
	 */
	KeyBuilder addAddress(String address) {
		separate();
		this.key.append(ADDRESS);
		this.last = this.key.length();
		append(address, this.hash.hashesFact(address));
		return this;
	}

	/**
	 * Adds the marker for a part that the caller does not have.
	 * @return this object
	 */
	KeyBuilder addNone() {
		separate();
		this.key.append(NONE);
		return this;
	}

	/**
	 * Whether a key contains an address instead of a part that the caller did not have.
	 * @param key a key that was built by this class
	 * @return whether one of its parts was added by {@link #addAddress}
	 */
	static boolean hasStandIn(String key) {
		boolean begins = true;
		for (int i = 0; i < key.length(); i++) {
			if (begins && key.startsWith(ADDRESS, i)) {
				return true;
			}
			begins = key.charAt(i) == '|';
			if (key.charAt(i) == '\\') {
				i++;
			}
		}
		return false;
	}

	/**
	 * Splits a key into its parts.
	 * @param key a key of at least one part that was built by this class
	 * @return the parts in their order, each as the key of this part alone
	 */
	static List<String> parts(String key) {
		List<String> parts = new ArrayList<>();
		int begin = 0;
		for (int i = 0; i < key.length(); i++) {
			if (key.charAt(i) == '\\') {
				i++;
			}
			else if (key.charAt(i) == '|') {
				parts.add(key.substring(begin, i));
				begin = i + 1;
			}
		}
		parts.add(key.substring(begin));
		return parts;
	}

	private void separate() {
		if (!this.first) {
			this.key.append('|');
		}
		this.first = false;
		this.last = this.key.length();
	}

	private void append(String part, boolean hashed) {
		if (hashed) {
			this.key.append(HASH).append(this.hash.of(part));
		}
		else {
			append(part);
		}
	}

	private void append(String part) {
		if (part.startsWith("(")) {
			this.key.append('\\');
		}
		for (int i = 0; i < part.length(); i++) {
			char c = part.charAt(i);
			if (c == '|' || c == '\\') {
				this.key.append('\\');
			}
			this.key.append(c);
		}
	}

	/**
	 * The part that was added last, without the marker of an address.
	 * @return the part as in the key; empty if there is none
	 */
	String last() {
		return this.key.substring(this.last);
	}

	/**
	 * The key so far.
	 * @return the parts and their separators; empty if there are none
	 */
	@Override
	public String toString() {
		return this.key.toString();
	}

}
