package io.tierlimit.client;

import java.time.Duration;
import java.time.Instant;

import io.tierlimit.limit.Limit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.http.HttpHeaders;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests what is read of the headers of a provider.
 */
class ProviderLimitTests {

	/** Sun, 06 Nov 1994 08:49:37 GMT. */
	private static final Instant NOW = Instant.ofEpochSecond(784111777);

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			Retry-After: 30                                              | 0 30
			Retry-After: 0                                               | 0 0
			Retry-After: Sun, 06 Nov 1994 08:50:07 GMT                   | 0 30
			Retry-After: Sun, 06 Nov 1994 08:00:00 GMT                   | 0 0
			Retry-After: 99999999999999999999999                         | 0 9223372036854
			Retry-After: -1                                              | 0 0
			Retry-After: soon                                            | 0 0
			Retry-After: 7 ~ RateLimit: "a";r=0;t=60                     | 0 7
			RateLimit: "a";r=0;t=60                                      | 0 60
			RateLimit: "a";r=5;t=60                                      | 0 60
			X-RateLimit-Remaining: 3 ~ X-RateLimit-Reset: 9              | 0 9
			X-Other: 1                                                   | 0 0
			""")
	void rejectionLeavesNothing(String headers, String expected) {
		assertThat(read(429, headers)).isEqualTo(expected);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			RateLimit: "a";r=5;t=60                                      | 5 0
			RateLimit: "a";r=0;t=60                                      | 0 60
			RateLimit: "a";r=0                                           | 0 0
			RateLimit: "a";t=7;r=0                                       | 0 7
			RateLimit: a; r=5 ; t=60                                     | 5 0
			RateLimit: "a";r=5;pk=:cHJv:;t=60                            | 5 0
			RateLimit: "a";r=50;t=60, "b";r=3;t=1                        | 3 0
			RateLimit: "a";r=0;t=60, "b";r=0;t=1, "c";r=9;t=99           | 0 60
			RateLimit: "a;r=0;t=9, \\"b;r=1";r=50;t=60                   | 50 0
			RateLimit: "a";r=50;t=60 ~ RateLimit: "b";r=3;t=1            | 3 0
			RateLimit: "a";r=3 ~ ratelimit: "b";r=0;t=9, "c";r=1 ~ RATELIMIT: "d";r=2 | 0 9
			ratelimit: "a";r=4                                           | 4 0
			RateLimit: ~ RateLimit: "a";r=3                              | 3 0
			RateLimit: "a";r=5 ~ RateLimit-Remaining: 0 ~ X-RateLimit-Remaining: 0 | 5 0
			RateLimit-Remaining: 5 ~ RateLimit-Reset: 30                 | 5 0
			RateLimit-Remaining: 0 ~ RateLimit-Reset: 30                 | 0 30
			RateLimit-Remaining: 4 ~ X-RateLimit-Remaining: 0            | 4 0
			RateLimit-Remaining: 76;w=21600                              | 76 0
			RateLimit-Remaining: 5, 100                                  | 5 0
			X-RateLimit-Remaining: 0 ~ X-RateLimit-Reset: 30             | 0 30
			X-RateLimit-Remaining: 0 ~ X-RateLimit-Reset: 29.25          | 0 30
			X-RateLimit-Remaining: 0                                     | 0 0
			x-ratelimit-remaining: 0 ~ x-ratelimit-reset: 1              | 0 1
			RateLimit: "a";r=999999999999999999999                       | 9223372036854 0
			""")
	void levelIsThatOfTheMostSpecificHeaders(String headers, String expected) {
		assertThat(read(200, headers)).isEqualTo(expected);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			Retry-After: 30
			RateLimit: "a";r=-1
			RateLimit: "a";r=x
			RateLimit: "a";t=5
			RateLimit: "a;r=5
			RateLimit: "a";r=5 ~ RateLimit: "b
			RateLimit: ,,;;;=
			RateLimit-Remaining: -1
			RateLimit-Remaining: unlimited
			X-RateLimit-Remaining:
			X-RateLimit-Reset: 30
			X-RateLimit-Limit: 30
			""")
	void otherHeadersAreIgnored(String headers) {
		assertThat(read(200, headers)).isEqualTo("none");
	}

	@Test
	void longHeadersAreIgnored() {
		assertThat(read(200, "RateLimit: " + "\"a\";r=1;t=1, ".repeat(1000) + "\"a\";r=1")).isEqualTo("none");
		assertThat(read(200, "RateLimit: \"a\";r=1" + " ~ RateLimit: \"a\";r=1".repeat(1000))).isEqualTo("none");
		assertThat(read(200, "RateLimit: " + "\"".repeat(3999))).isEqualTo("none");
		assertThat(read(200, "RateLimit: \"" + "\\\\".repeat(1900))).isEqualTo("none");
		assertThat(read(200, "RateLimit-Remaining: " + "9".repeat(1_000_000) + "x")).isEqualTo("none");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			503 | Retry-After: 30                                 | 0 30
			503 | X-Other: 1                                      | none
			503 | Retry-After: soon ~ RateLimit: "a";r=5          | 5 0
			500 | Retry-After: 30                                 | none
			301 | Retry-After: 30                                 | none
			404 | RateLimit-Remaining: 5                          | 5 0
			""")
	void statusSelectsTheHeaders(int status, String headers, String expected) {
		assertThat(read(status, headers)).isEqualTo(expected);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			X-RateLimit-Remaining: 0 ~ X-RateLimit-Reset: 1700000030 ~ Date: Tue, 14 Nov 2023 22:13:20 GMT | 0 30
			X-RateLimit-Remaining: 0 ~ X-RateLimit-Reset: 1700000030000 ~ Date: Tue, 14 Nov 2023 22:13:20 GMT | 0 30
			X-RateLimit-Remaining: 0 ~ X-RateLimit-Reset: 1600000000 ~ Date: Tue, 14 Nov 2023 22:13:20 GMT | 0 0
			X-RateLimit-Remaining: 0 ~ X-RateLimit-Reset: 1000000000                                       | 0 215888223
			X-RateLimit-Remaining: 0 ~ X-RateLimit-Reset: 1000000000 ~ Date: yesterday                     | 0 215888223
			""")
	void resetSinceTheEpochIsComparedWithTheClockOfTheProvider(String headers, String expected) {
		assertThat(read(200, headers)).isEqualTo(expected);
	}

	@Test
	void dateOfRetryAfterIsComparedWithTheClockOfTheProvider() {
		assertThat(read(429, "Retry-After: Tue, 14 Nov 2023 22:13:50 GMT ~ Date: Tue, 14 Nov 2023 22:13:20 GMT"))
			.isEqualTo("0 30");
	}

	/** The remaining requests and the seconds. */
	private static String read(int status, String lines) {
		HttpHeaders headers = new HttpHeaders();
		for (String line : lines.split(" ~ ", -1)) {
			String[] header = line.split(":", 2);
			headers.add(header[0].strip(), header[1].strip());
		}
		ProviderLimit limit = ProviderLimit.of(status, headers, NOW);
		return (limit != null) ? limit.remaining() + " " + seconds(limit.retryAfter()) : "none";
	}

	private static long seconds(Duration time) {
		assertThat(time).isEqualTo(Duration.ofSeconds(time.toSeconds()));
		return time.toSeconds();
	}

}
