package io.tierlimit.key;

/**
 * Puts a key together so that different parts never make the same key.
 * <p>
 * Parts are separated by {@code |}. A separator within a part is escaped by a backslash,
 * and so is a backslash and a leading parenthesis: parts in parentheses are Tierlimit's
 * own words, such as {@code (none)}.
 */
public final class KeyParts {

	/** Stands for a part that the caller does not have. */
	public static final String NONE = "(none)";

	/** Stands before the address of a caller who lacks the part proper. */
	private static final String ADDRESS = "(ip)";

	private final StringBuilder key = new StringBuilder();

	private boolean first = true;

	/**
	 * Adds a part that the caller has.
	 * @param part any text
	 * @return this object
	 */
	public KeyParts add(String part) {
		separate();
		if (part.startsWith("(")) {
			this.key.append('\\');
		}
		append(part);
		return this;
	}

	/**
	 * Adds the address in place of a part that the caller does not have.
	 * @param address the caller's address
	 * @return this object
	 */
	public KeyParts addAddress(String address) {
		separate();
		this.key.append(ADDRESS);
		append(address);
		return this;
	}

	/**
	 * Adds that the caller does not have a part.
	 * @return this object
	 */
	public KeyParts addNone() {
		separate();
		this.key.append(NONE);
		return this;
	}

	private void separate() {
		if (!this.first) {
			this.key.append('|');
		}
		this.first = false;
	}

	private void append(String text) {
		for (int i = 0; i < text.length(); i++) {
			char c = text.charAt(i);
			if (c == '|' || c == '\\') {
				this.key.append('\\');
			}
			this.key.append(c);
		}
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
