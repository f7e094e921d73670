package io.tierlimit.client;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * Reads the values of a provider's headers. A value that is malformed or negative is
 * treated as absent.
 */
final class ProviderHeaders {

	/** A number at the start of a header; a fraction or parameters may follow. */
	private static final Pattern NUMBER = Pattern.compile("\\s*+(\\d++)(\\.\\d++)?+\\s*+([;,].*+)?+");

	/** Days, hours, minutes, seconds and milliseconds, such as 6m0s. */
	private static final Pattern DURATION = Pattern
		.compile("(?:(N)d)?(?:(N)h)?(?:(N)m(?!s))?(?:(N)s)?(?:(N)ms)?".replace("N", "\\d++(?:\\.\\d++)?+"));

	/** The milliseconds of each group of a duration. */
	private static final int[] UNITS = { 86_400_000, 3_600_000, 60_000, 1000, 1 };

	/** The maximum length of a duration or a time that is read. */
	private static final int MAX_LENGTH = 64;

	/** Numbers above this value, which exceeds any time or limit, are reduced to it. */
	private static final long LARGEST = Long.MAX_VALUE / 1_000_000;

	/**
	 * A reset of at least this number (31 years in seconds) is a time in seconds since
	 * the epoch. A reset of at least a thousand times this number is in milliseconds.
	 */
	private static final long EPOCH = 1_000_000_000;

	private final HttpHeaders headers;

	/**
	 * The time of the response by the provider's clock, which its resets are compared
	 * with.
	 */
	private final Instant sent;

	/**
	 * Creates a reader.
	 * @param headers the headers, which may be malformed
	 * @param now the time if the response has no {@code Date}
	 */
	ProviderHeaders(HttpHeaders headers, Instant now) {
		this.headers = headers;
		Instant date = date(HttpHeaders.DATE);
		this.sent = (date != null) ? date : now;
	}

	/** Returns a number of requests, 0 or more, without its fraction. */
	@Nullable Long count(String name) {
		return parseCount(this.headers.getFirst(name));
	}

	/** Returns a number of units of time, 0 or more. A fraction is rounded up. */
	private @Nullable Long time(String name) {
		return parse(this.headers.getFirst(name), true);
	}

	/**
	 * All lines of a header, which form one list (RFC 9651, section 4.2). The type of
	 * {@link HttpHeaders} differs between Spring Framework 6 and 7.
	 */
	String lines(String name) {
		StringJoiner lines = new StringJoiner(", ");
		this.headers.forEach((header, values) -> {
			if (header.equalsIgnoreCase(name)) {
				values.forEach(lines::add);
			}
		});
		return lines.toString();
	}

	/**
	 * The wait of {@code Retry-After} or {@code retry-after-ms}, or the longer wait if
	 * both are present. If {@code Retry-After} is {@code retry-after-ms} rounded up to
	 * seconds, the more precise {@code retry-after-ms} is used.
	 */
	@Nullable Duration retryAfter() {
		Duration rounded = roundedRetryAfter();
		Long millis = time("retry-after-ms");
		if (millis == null) {
			return rounded;
		}
		Duration precise = Duration.ofMillis(millis);
		return (rounded == null || rounded.compareTo(precise.plusSeconds(1)) < 0) ? precise : rounded;
	}

	/** The wait of {@code Retry-After}, which is a number of seconds or a date. */
	private @Nullable Duration roundedRetryAfter() {
		Long seconds = time(HttpHeaders.RETRY_AFTER);
		if (seconds != null) {
			return Duration.ofSeconds(seconds);
		}
		Instant date = date(HttpHeaders.RETRY_AFTER);
		return (date != null) ? until(date) : null;
	}

	/**
	 * The time until a reset. Its header has seconds, a time since the epoch, a duration
	 * such as {@code 6m0s}, or a time (RFC 3339).
	 */
	@Nullable Duration reset(String name) {
		Long number = time(name);
		if (number != null) {
			return untilReset(number);
		}
		String text = this.headers.getFirst(name);
		if (text == null || text.isBlank() || text.length() > MAX_LENGTH) {
			return null;
		}
		Matcher duration = DURATION.matcher(text.strip());
		return duration.matches() ? duration(duration) : untilTime(text.strip());
	}

	private Duration untilReset(long reset) {
		if (reset < EPOCH) {
			return Duration.ofSeconds(reset);
		}
		return until((reset < 1000 * EPOCH) ? Instant.ofEpochSecond(reset) : Instant.ofEpochMilli(reset));
	}

	private static Duration duration(Matcher groups) {
		BigDecimal millis = BigDecimal.ZERO;
		for (int i = 0; i < UNITS.length; i++) {
			String number = groups.group(i + 1);
			if (number != null) {
				millis = millis.add(new BigDecimal(number).multiply(BigDecimal.valueOf(UNITS[i])));
			}
		}
		return Duration
			.ofMillis(millis.setScale(0, RoundingMode.CEILING).min(BigDecimal.valueOf(LARGEST)).longValueExact());
	}

	private @Nullable Duration untilTime(String text) {
		try {
			return until(OffsetDateTime.parse(text).toInstant());
		}
		catch (DateTimeException ex) {
			return null;
		}
	}

	private Duration until(Instant then) {
		return then.isAfter(this.sent) ? Duration.between(this.sent, then) : Duration.ZERO;
	}

	private @Nullable Instant date(String name) {
		try {
			ZonedDateTime date = this.headers.getFirstZonedDateTime(name);
			return (date != null) ? date.toInstant() : null;
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	/** A number of 0 or more, without its fraction. */
	static @Nullable Long parseCount(@Nullable String text) {
		return parse(text, false);
	}

	private static @Nullable Long parse(@Nullable String text, boolean roundUp) {
		Matcher matcher = (text != null) ? NUMBER.matcher(text) : null;
		if (matcher == null || !matcher.matches()) {
			return null;
		}
		String digits = matcher.group(1);
		if (digits.length() > 15) {
			return LARGEST;
		}
		String fraction = matcher.group(2);
		boolean more = roundUp && fraction != null && fraction.chars().anyMatch((c) -> c >= '1' && c <= '9');
		return Long.parseLong(digits) + (more ? 1 : 0);
	}

}
