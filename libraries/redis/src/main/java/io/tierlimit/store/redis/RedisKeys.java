package io.tierlimit.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.tierlimit.store.BucketKey;

/**
 * Names buckets in Redis: {@code tierlimit:orders-per-user:{ada}:POST /api/orders|ada}.
 * The affinity key is in braces as the hash tag, so that a Redis Cluster stores all
 * buckets of one owner in one slot. The key follows, unless it equals the affinity key.
 * Instead of the affinity key, a shard has a hash tag for its slot.
 * <p>
 * Different buckets never have the same name: a character that could end a part is
 * escaped by a percent sign and two hexadecimal digits; half a surrogate pair by
 * {@code %u} and four digits.
 *
 * @param prefix the prefix of all names
 */
record RedisKeys(String prefix) {

	/**
	 * Characters that could end a part, are not visible, or are half a surrogate pair.
	 */
	private static final Pattern SPECIAL = Pattern.compile("[\\x00-\\x1f%{}\\x7f\\p{Cs}]");

	private static final Pattern ESCAPED = Pattern.compile("%(u....|..)");

	byte[] of(BucketKey key) {
		StringBuilder name = start(key.rule());
		if (key.shardIndex() >= 0) {
			append(key.key(), name.append(ShardTags.of(key)).append("}:"));
			return name.toString().getBytes(StandardCharsets.UTF_8);
		}
		append(key.affinityKey(), name).append('}');
		if (!key.key().equals(key.affinityKey())) {
			append(key.key(), name.append(':'));
		}
		return name.toString().getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * The name of the key of the members. It has no brace, so that no bucket has this
	 * name.
	 */
	byte[] members() {
		return (this.prefix + ":(members)").getBytes(StandardCharsets.UTF_8);
	}

	/** The prefix of the names of all buckets of a rule. */
	String startOf(String rule) {
		return start(rule).toString();
	}

	/** The bucket of a rule to which a name in Redis belongs. */
	BucketKey parse(String rule, byte[] name) {
		String parts = new String(name, StandardCharsets.UTF_8).substring(startOf(rule).length());
		int end = parts.indexOf('}');
		String affinityKey = unescaped(parts.substring(0, end));
		String key = (end + 1 < parts.length()) ? unescaped(parts.substring(end + 2)) : affinityKey;
		return new BucketKey(rule, key, affinityKey);
	}

	private static String unescaped(String part) {
		return ESCAPED.matcher(part).replaceAll((escaped) -> {
			char c = (char) Integer.parseInt(escaped.group(1).replace("u", ""), 16);
			return Matcher.quoteReplacement(Character.toString(c));
		});
	}

	private StringBuilder start(String rule) {
		StringBuilder name = new StringBuilder(64).append(this.prefix).append(':');
		return append(rule, name).append(":{");
	}

	private static StringBuilder append(String part, StringBuilder name) {
		return name.append(SPECIAL.matcher(part).replaceAll((special) -> {
			char c = special.group().charAt(0);
			return String.format(Character.isSurrogate(c) ? "%%u%04x" : "%%%02x", (int) c);
		}));
	}

}
