package io.tierlimit.key;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import io.tierlimit.address.AsciiText;
import org.jspecify.annotations.Nullable;

/**
 * Hashes parts of keys: the first 128 bits of HMAC-SHA-256 (RFC 2104) over the part's
 * UTF-16 code units, in hexadecimal.
 */
public final class KeyHash {

	/** The minimum number of characters of a secret. */
	public static final int MIN_SECRET_LENGTH = 16;

	private static final String ALGORITHM = "HmacSHA256";

	/** HMAC requires a key; a public constant is equivalent to no key. */
	private static final String DEFAULT_SECRET = "tierlimit";

	private static final int BYTES = 16;

	/** Longer parts are always hashed. */
	private static final int MAX_PLAIN_LENGTH = 64;

	private static final String USUAL_PUNCTUATION = "-._~@+=:/,";

	private final KeyHashing hashing;

	private final SecretKeySpec secret;

	/**
	 * An initialized instance. A copy of it is cheaper than a new instance. {@code null}
	 * if instances cannot be copied.
	 */
	private final @Nullable Mac initialized;

	/**
	 * Creates a hash.
	 * @param hashing selects the parts that are hashed
	 * @param secret the secret, which must be the same for all instances that share
	 * buckets; {@code null} for none: then anyone can check guesses of a value against
	 * its hash
	 * @throws IllegalArgumentException if the secret is shorter than
	 * {@value #MIN_SECRET_LENGTH} characters
	 */
	public KeyHash(KeyHashing hashing, @Nullable String secret) {
		if (secret != null && secret.length() < MIN_SECRET_LENGTH) {
			throw new IllegalArgumentException("The secret for keys must have at least " + MIN_SECRET_LENGTH
					+ " characters (was " + secret.length() + ")");
		}
		this.hashing = hashing;
		this.secret = new SecretKeySpec(((secret != null) ? secret : DEFAULT_SECRET).getBytes(StandardCharsets.UTF_8),
				ALGORITHM);
		this.initialized = copyOf(begin());
	}

	/**
	 * The form of a fact in keys: its hash, or the fact itself.
	 * @param fact a user's name or an address
	 * @return the part of a key for this fact
	 */
	public String key(String fact) {
		return new KeyBuilder(this).addFact(fact).toString();
	}

	/** Whether a fact of the caller, such as a user's name, is hashed. */
	boolean hashesFact(String part) {
		return part.length() > MAX_PLAIN_LENGTH || switch (this.hashing) {
			case SENSITIVE -> !part.isEmpty() && !AsciiText.isName(part, 0, USUAL_PUNCTUATION);
			case ALL -> true;
			case NONE -> false;
		};
	}

	/** Whether a value that may be client-supplied is hashed. */
	boolean hashesSensitive(String part) {
		return part.length() > MAX_PLAIN_LENGTH || this.hashing != KeyHashing.NONE;
	}

	/** Whether a string has the form of a hash. */
	static boolean isHash(String text) {
		return text.length() == 2 * BYTES && text.chars().allMatch(HexFormat::isHexDigit);
	}

	String of(String part) {
		// UTF-8 would encode all lone surrogates as the same character.
		ByteBuffer units = ByteBuffer.allocate(part.length() * Character.BYTES);
		units.asCharBuffer().put(part);
		Mac copy = (this.initialized != null) ? copyOf(this.initialized) : null;
		Mac mac = (copy != null) ? copy : begin();
		return HexFormat.of().formatHex(mac.doFinal(units.array()), 0, BYTES);
	}

	private Mac begin() {
		try {
			Mac mac = Mac.getInstance(ALGORITHM);
			mac.init(this.secret);
			return mac;
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException("The Java platform does not provide " + ALGORITHM, ex);
		}
	}

	private static @Nullable Mac copyOf(Mac mac) {
		try {
			return (Mac) mac.clone();
		}
		catch (CloneNotSupportedException ex) {
			return null;
		}
	}

}
