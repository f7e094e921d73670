package io.tierlimit.client;

import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * What the response of a provider reports of its own limit.
 *
 * @param remaining the requests that are left
 * @param retryAfter the time until the next request, if none is left; zero if it is
 * unknown
 */
record ProviderLimit(long remaining, Duration retryAfter) {

	static final int TOO_MANY_REQUESTS = 429;

	private static final String RETRY_AFTER = "Retry-After";

	/** A number at the start of a header, which may have a fraction or parameters. */
	private static final Pattern NUMBER = Pattern.compile("\\s*+(\\d++)(\\.\\d++)?+\\s*+([;,].*+)?+");

	private static final Pattern QUOTED = Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*+\"");

	/** The maximum length of a RateLimit header, with all of its lines, that is read. */
	private static final int MAX_LENGTH = 4000;

	/**
	 * Larger resets are seconds since the epoch, or milliseconds if they are a thousand
	 * times larger. As seconds from now, this is 31 years.
	 */
	private static final long EPOCH = 1_000_000_000;

	/**
	 * Reads the headers of a response. The most specific ones are read: those of the IETF
	 * draft, then {@code RateLimit-Remaining}, then {@code X-RateLimit-Remaining}.
	 * @param status the status; after 429, no request is left
	 * @param headers the headers, which may be malformed
	 * @param now the time if the response has no {@code Date}
	 * @return the limit; {@code null} if the response reports none
	 */
	static @Nullable ProviderLimit of(int status, HttpHeaders headers, Instant now) {
		Instant date = date(headers, HttpHeaders.DATE);
		Instant sent = (date != null) ? date : now;
		ProviderLimit reported = reported(headers, sent);
		Duration retryAfter = (status == TOO_MANY_REQUESTS || status == 503) ? retryAfter(headers, sent) : null;
		if (retryAfter == null && status == TOO_MANY_REQUESTS) {
			retryAfter = (reported != null) ? reported.retryAfter : Duration.ZERO;
		}
		if (retryAfter != null) {
			return new ProviderLimit(0, retryAfter);
		}
		return (reported == null || reported.remaining == 0) ? reported
				: new ProviderLimit(reported.remaining, Duration.ZERO);
	}

	private static @Nullable Duration retryAfter(HttpHeaders headers, Instant sent) {
		Long seconds = number(headers.getFirst(RETRY_AFTER));
		if (seconds != null) {
			return Duration.ofSeconds(seconds);
		}
		Instant date = date(headers, RETRY_AFTER);
		return (date != null) ? between(sent, date) : null;
	}

	private static @Nullable ProviderLimit reported(HttpHeaders headers, Instant sent) {
		ProviderLimit limit = ietf(lines(headers, "RateLimit"));
		limit = (limit != null) ? limit : classic(headers, "RateLimit-", sent);
		return (limit != null) ? limit : classic(headers, "X-RateLimit-", sent);
	}

	/**
	 * All lines of a header: they are one list (RFC 9651, section 4.2). The types of
	 * {@link HttpHeaders#get} differ between the lines of Spring Framework.
	 */
	private static String lines(HttpHeaders headers, String name) {
		StringJoiner lines = new StringJoiner(", ");
		headers.forEach((header, values) -> {
			if (header.equalsIgnoreCase(name)) {
				values.forEach(lines::add);
			}
		});
		return lines.toString();
	}

	/**
	 * The policy with the fewest requests left, and the longest wait of those with none.
	 */
	private static @Nullable ProviderLimit ietf(String field) {
		if (field.length() > MAX_LENGTH) {
			return null;
		}
		String unquoted = QUOTED.matcher(field).replaceAll("");
		if (unquoted.indexOf('"') >= 0) {
			return null;
		}
		ProviderLimit least = null;
		for (String policy : unquoted.split(",", -1)) {
			Long remaining = null;
			Long time = null;
			for (String parameter : policy.split(";", -1)) {
				String text = parameter.strip();
				remaining = text.startsWith("r=") ? number(text.substring(2)) : remaining;
				time = text.startsWith("t=") ? number(text.substring(2)) : time;
			}
			if (remaining != null) {
				least = least(least,
						new ProviderLimit(remaining, (time != null) ? Duration.ofSeconds(time) : Duration.ZERO));
			}
		}
		return least;
	}

	private static ProviderLimit least(@Nullable ProviderLimit one, ProviderLimit other) {
		if (one == null || other.remaining < one.remaining) {
			return other;
		}
		return (other.remaining == one.remaining && other.retryAfter.compareTo(one.retryAfter) > 0) ? other : one;
	}

	private static @Nullable ProviderLimit classic(HttpHeaders headers, String prefix, Instant sent) {
		Long remaining = number(headers.getFirst(prefix + "Remaining"));
		if (remaining == null) {
			return null;
		}
		Long reset = number(headers.getFirst(prefix + "Reset"));
		return new ProviderLimit(remaining, (reset != null) ? untilReset(reset, sent) : Duration.ZERO);
	}

	private static Duration untilReset(long reset, Instant sent) {
		if (reset < EPOCH) {
			return Duration.ofSeconds(reset);
		}
		return between(sent, (reset < 1000 * EPOCH) ? Instant.ofEpochSecond(reset) : Instant.ofEpochMilli(reset));
	}

	private static Duration between(Instant now, Instant then) {
		return then.isAfter(now) ? Duration.between(now, then) : Duration.ZERO;
	}

	/**
	 * A number of 0 or more, rounded up. Larger numbers than any time or limit are equal.
	 */
	private static @Nullable Long number(@Nullable String header) {
		Matcher matcher = (header != null) ? NUMBER.matcher(header) : null;
		if (matcher == null || !matcher.matches()) {
			return null;
		}
		String digits = matcher.group(1);
		return (digits.length() > 15) ? Long.MAX_VALUE / 1_000_000
				: Long.parseLong(digits) + ((matcher.group(2) != null) ? 1 : 0);
	}

	private static @Nullable Instant date(HttpHeaders headers, String name) {
		try {
			ZonedDateTime date = headers.getFirstZonedDateTime(name);
			return (date != null) ? date.toInstant() : null;
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

}
