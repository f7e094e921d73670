package io.tierlimit.option.share;

import io.tierlimit.rule.OptionValue;
import io.tierlimit.rule.OptionValue.Enforcement;

/**
 * The share of a rule's keys for which the rule rejects requests. A key is in the share
 * or not, whatever instance decides and whenever: its position from 0 to 100 depends only
 * on the rule and the key. So a larger share includes a smaller one, and different rules
 * choose different keys.
 *
 * @param percent the size of the share: 0 for no key, 100 for all
 */
public record EnforcedShare(double percent) implements OptionValue {

	/** The default: the rule rejects requests with every key. */
	public static final EnforcedShare ALL = new EnforcedShare(100);

	private static final long FNV_OFFSET = 0xcbf29ce484222325L;

	private static final long FNV_PRIME = 0x100000001b3L;

	/**
	 * Creates a share.
	 * @throws IllegalArgumentException if the size is not from 0 to 100
	 */
	public EnforcedShare {
		if (!(percent >= 0 && percent <= 100)) {
			throw new IllegalArgumentException("enforce-percent must be from 0% to 100% (was " + percent + "%)");
		}
	}

	@Override
	public Enforcement enforcement() {
		return (this.percent == 0) ? Enforcement.NONE : (this.percent < 100) ? Enforcement.SOME : Enforcement.ALL;
	}

	/**
	 * Whether a key is in the share.
	 * @param rule the id of the rule
	 * @param key the key of a bucket of the rule, as the store has it
	 * @return whether the rule rejects requests with this key
	 */
	public boolean includes(String rule, String key) {
		// The upper 53 bits are a fraction from 0 to 1 that a double represents exactly.
		return (hash(rule, key) >>> 11) * 0x1.0p-53 * 100 < this.percent;
	}

	/**
	 * FNV-1a over the characters, with the finalizer of MurmurHash3. Without it, similar
	 * keys would have similar positions.
	 */
	private static long hash(String rule, String key) {
		long hash = add(add(add(FNV_OFFSET, rule), "\n"), key);
		hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
		hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
		return hash ^ (hash >>> 33);
	}

	private static long add(long hash, String text) {
		long result = hash;
		for (int i = 0; i < text.length(); i++) {
			result = (result ^ text.charAt(i)) * FNV_PRIME;
		}
		return result;
	}

}
