package io.tierlimit.key;

import java.util.ArrayList;
import java.util.List;

/**
 * Puts a key together so that different parts never make the same key, except for a
 * collision of hashes.
 * <p>
 * Parts are separated by {@code |}. A separator within a part is escaped by a backslash,
 * and so is a backslash and a leading parenthesis: what is in parentheses is Tierlimit's
 * own word, such as {@code (none)}, or {@code (hash)} before a hash.
 */
final class KeyBuilder {

	/** Stands for a part that the caller does not have. */
	private static final String NONE = "(none)";

	/** Stands before the address of a caller who lacks the part proper. */
	private static final String ADDRESS = "(ip)";

	private static final String HASH = "(hash)";

	private final StringBuilder key = new StringBuilder();

	private final KeyHash hash;

	private boolean first = true;

	/** Where the last part begins. */
	private int last;

	/**
	 * Creates an empty key.
	 * @param hash hides what should not be stored
	 */
	KeyBuilder(KeyHash hash) {
		this.hash = hash;
	}

	/**
	 * Adds a part out of the application's own words: an endpoint, a plan that is listed.
	 * @param part any text; never hashed
	 * @return this object
	 */
	KeyBuilder addOwn(String part) {
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
		append(part, this.hash.hidesFact(part));
		return this;
	}

	/**
	 * Adds what the caller may have sent: it may be a credential.
	 * @param part any text
	 * @return this object
	 */
	KeyBuilder addSent(String part) {
		separate();
		append(part, this.hash.hidesSent(part));
		return this;
	}

	/**
	 * Adds the address in place of a part that the caller does not have.
	 * @param address the caller's address
	 * @return this object
	 */
	KeyBuilder addAddress(String address) {
		separate();
		this.key.append(ADDRESS);
		this.last = this.key.length();
		append(address, this.hash.hidesFact(address));
		return this;
	}

	/**
	 * Adds that the caller does not have a part.
	 * @return this object
	 */
	KeyBuilder addNone() {
		separate();
		this.key.append(NONE);
		return this;
	}

	/**
	 * Whether an address stands in a key for something that the caller did not have.
	 * @param key a key that was put together by an object of this class
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
	 * The parts of a key, as they stand in it.
	 * @param key a key that was put together by an object of this class out of one part
	 * or more
	 * @return the parts in their order, each as the key of this part alone would be
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

	private void append(String part, boolean hidden) {
		if (hidden) {
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
	 * The part that was added last, which is the same for a caller's address whatever it
	 * stands for.
	 * @return the part as it stands in the key; empty if there is none
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
