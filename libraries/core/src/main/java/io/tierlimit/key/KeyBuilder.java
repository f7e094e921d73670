package io.tierlimit.key;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Builds a key. Different parts always result in different keys, except for a collision
 * of hashes.
 * <p>
 * Parts are separated by {@code |}. A backslash escapes a separator, a backslash and a
 * leading parenthesis within a part. Tierlimit's own markers are in parentheses, such as
 * {@code (none)}, or {@code (hash)} before a hash.
 */
final class KeyBuilder {

	/** Replaces a part that the caller does not have. */
	private static final String NONE = "(none)";

	/** Precedes an address that replaces an absent part. */
	private static final String ADDRESS = "(ip)";

	private static final String HASH = "(hash)";

	private final KeyHash hash;

	/** The parts that were added so far; {@code null} if there are none. */
	private @Nullable String key;

	/** The part that was added last, without the marker of an address. */
	private String last = "";

	/**
	 * Creates an empty key.
	 * @param hash hashes values that must not be stored
	 */
	KeyBuilder(KeyHash hash) {
		this.hash = hash;
	}

	/**
	 * Adds a value that the application defines: an endpoint, or a plan that the rule
	 * lists.
	 * @param part any string; never hashed
	 * @return this object
	 */
	KeyBuilder addConstant(String part) {
		return add("", escaped(part));
	}

	/**
	 * Adds a fact of the caller, such as a user's name or an address.
	 * @param part any string
	 * @return this object
	 */
	KeyBuilder addFact(String part) {
		return add("", text(part, this.hash.hashesFact(part)));
	}

	/**
	 * Adds a value that may be client-supplied, such as a credential.
	 * @param part any string
	 * @return this object
	 */
	KeyBuilder addSensitive(String part) {
		return add("", text(part, this.hash.hashesSensitive(part)));
	}

	/**
	 * Adds the address instead of a part that the caller does not have.
	 * @param address the caller's address; {@code null} if the caller has no address
	 * either
	 * @return this object
	 */
	KeyBuilder addAddress(@Nullable String address) {
		return (address != null) ? add(ADDRESS, text(address, this.hash.hashesFact(address))) : addNone();
	}

	/**
	 * Adds the marker for a part that the caller does not have.
	 * @return this object
	 */
	KeyBuilder addNone() {
		return add("", NONE);
	}

	/**
	 * Whether a key contains an address instead of a part that the caller did not have.
	 * @param key a key that was built by this class
	 * @return whether one of its parts was added by {@link #addAddress}
	 */
	static boolean hasStandIn(String key) {
		return key.contains(ADDRESS) && parts(key).stream().anyMatch((part) -> part.startsWith(ADDRESS));
	}

	/**
	 * Splits a key into its parts.
	 * @param key a key of at least one part that was built by this class
	 * @return the parts in their order, each in the form that it has in a key
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

	/**
	 * Removes the marker of an address that replaces a part.
	 * @param part a part of a key
	 * @return the part as {@link #last} returned it when it was added
	 */
	static String withoutMarker(String part) {
		return part.startsWith(ADDRESS) ? part.substring(ADDRESS.length()) : part;
	}

	/**
	 * Whether a string replaces a value in keys.
	 * @param text a string that may be copied from a key
	 * @return whether the string is the marker of an absent value, the hash of a value,
	 * or an address with its marker
	 */
	static boolean isReplacement(String text) {
		return text.equals(NONE) || text.startsWith(ADDRESS)
				|| (text.startsWith(HASH) && KeyHash.isHash(text.substring(HASH.length())));
	}

	/**
	 * Adds a part. A key of a single part without a marker is the given string itself,
	 * not a copy.
	 */
	private KeyBuilder add(String marker, String text) {
		if (this.key != null) {
			this.key = this.key + '|' + marker + text;
		}
		else {
			this.key = marker.isEmpty() ? text : marker + text;
		}
		this.last = text;
		return this;
	}

	private String text(String part, boolean hashed) {
		return hashed ? HASH + this.hash.of(part) : escaped(part);
	}

	private static String escaped(String part) {
		boolean marked = !part.isEmpty() && part.charAt(0) == '(';
		if (!marked && part.indexOf('|') < 0 && part.indexOf('\\') < 0) {
			return part;
		}
		String escaped = part.replace("\\", "\\\\").replace("|", "\\|");
		return marked ? '\\' + escaped : escaped;
	}

	/**
	 * The part that was added last, without the marker of an address.
	 * @return the part as in the key; empty if there is none
	 */
	String last() {
		return this.last;
	}

	/**
	 * The key so far.
	 * @return the parts and their separators; empty if there are none
	 */
	@Override
	public String toString() {
		return (this.key != null) ? this.key : "";
	}

}
