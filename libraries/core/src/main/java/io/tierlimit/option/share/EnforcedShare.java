package io.tierlimit.option.share;

import java.math.BigDecimal;
import java.util.Map;

import io.tierlimit.option.RuleOption;
import io.tierlimit.rule.OptionValue;
import io.tierlimit.rule.OptionValue.Enforcement;
import io.tierlimit.store.BucketKey;

/**
 * The share of a rule's keys for which the rule rejects requests. The position of a key,
 * from 0 to 1, depends only on the rule and the key. A key is therefore in the share on
 * all instances and at all times, or never. A larger share includes a smaller one, and
 * different rules select different keys.
 *
 * @param share the size of the share: above 0, at most 1 for all keys
 */
public record EnforcedShare(double share) implements OptionValue, RuleOption {

	/** The default: the rule rejects requests with every key. */
	public static final EnforcedShare ALL = new EnforcedShare(1);

	private static final long FNV_OFFSET = 0xcbf29ce484222325L;

	private static final long FNV_PRIME = 0x100000001b3L;

	/**
	 * Creates a share.
	 * @throws IllegalArgumentException if the size is out of range
	 */
	public EnforcedShare {
		if (!(share > 0 && share <= 1)) {
			throw new IllegalArgumentException(
					"enforce-share must be above 0% and at most 100% (was " + percentage(share) + ")");
		}
	}

	private static String percentage(double share) {
		return (Double.isFinite(share) ? BigDecimal.valueOf(share).movePointRight(2).toPlainString() : share) + "%";
	}

	@Override
	public Enforcement enforcement() {
		return (this.share < 1) ? Enforcement.SOME : Enforcement.ALL;
	}

	/**
	 * Whether a key is in the share.
	 * @param rule the id of the rule
	 * @param key the key of a bucket of the rule, as the store has it
	 * @return whether the rule rejects requests with this key
	 */
	public boolean includes(String rule, String key) {
		// The upper 53 bits are a fraction from 0 to 1 that a double represents exactly.
		return (hash(rule, key) >>> 11) * 0x1.0p-53 < this.share;
	}

	@Override
	public boolean enforces(BucketKey bucket) {
		return includes(bucket.rule(), bucket.key());
	}

	@Override
	public void describe(Map<String, Object> description) {
		description.put("enforceShare", this.share);
	}

	/**
	 * FNV-1a over the characters, followed by the finalizer of MurmurHash3. Without the
	 * finalizer, similar keys would have similar positions.
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
