package io.tierlimit.store.redis;

import java.nio.charset.StandardCharsets;

import io.tierlimit.spi.BucketKey;

/**
 * Names buckets in Redis: {@code tierlimit:orders-per-user:{ada}:ada|POST /api/orders}.
 * The affinity key is in braces as the hash tag, so that a Redis Cluster stores all
 * buckets of one owner in one slot. The key follows, unless it equals the affinity key.
 * <p>
 * Different buckets never have the same name: characters that could end a part are
 * escaped by a percent sign and two hexadecimal digits, four for half a surrogate pair.
 */
final class RedisKeys {

	private final String prefix;

	RedisKeys(String prefix) {
		this.prefix = prefix;
	}

	byte[] of(BucketKey key) {
		StringBuilder name = start(key.rule());
		append(key.affinityKey(), name).append('}');
		if (!key.key().equals(key.affinityKey())) {
			append(key.key(), name.append(':'));
		}
		return name.toString().getBytes(StandardCharsets.UTF_8);
	}

	/** The prefix of the names of all buckets of a rule. */
	String startOf(String rule) {
		return start(rule).toString();
	}

	/** The bucket of a rule that has a name. */
	BucketKey parse(String rule, byte[] name) {
		String parts = new String(name, StandardCharsets.UTF_8).substring(startOf(rule).length());
		int end = parts.indexOf('}');
		String affinityKey = unescaped(parts.substring(0, end));
		String key = (end + 1 < parts.length()) ? unescaped(parts.substring(end + 2)) : affinityKey;
		return new BucketKey(rule, key, affinityKey);
	}

	private static String unescaped(String part) {
		StringBuilder text = new StringBuilder(part.length());
		for (int i = 0; i < part.length(); i++) {
			char c = part.charAt(i);
			if (c != '%') {
				text.append(c);
				continue;
			}
			boolean surrogate = part.charAt(i + 1) == 'u';
			int begin = surrogate ? i + 2 : i + 1;
			int end = begin + (surrogate ? 4 : 2);
			text.append((char) Integer.parseInt(part.substring(begin, end), 16));
			i = end - 1;
		}
		return text.toString();
	}

	private StringBuilder start(String rule) {
		StringBuilder name = new StringBuilder(64).append(this.prefix).append(':');
		return append(rule, name).append(":{");
	}

	private static StringBuilder append(String part, StringBuilder name) {
		for (int i = 0; i < part.length(); i++) {
			char c = part.charAt(i);
			if (Character.isHighSurrogate(c) && i + 1 < part.length() && Character.isLowSurrogate(part.charAt(i + 1))) {
				name.append(c).append(part.charAt(++i));
			}
			else if (Character.isSurrogate(c)) {
				name.append("%u").append(Integer.toHexString(c));
			}
			else if (isSpecial(c)) {
				name.append('%').append((c < 0x10) ? "0" : "").append(Integer.toHexString(c));
			}
			else {
				name.append(c);
			}
		}
		return name;
	}

	private static boolean isSpecial(char c) {
		return c < ' ' || c == '%' || c == '{' || c == '}' || c == 0x7f || Character.isSurrogate(c);
	}

}
