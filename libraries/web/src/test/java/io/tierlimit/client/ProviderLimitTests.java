package io.tierlimit.client;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.http.HttpHeaders;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests which limits are read from the headers of a provider.
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
			retry-after-ms: 1500                                         | 0 1.5
			retry-after-ms: 0.25                                         | 0 0.001
			retry-after-ms: 0                                            | 0 0
			retry-after-ms: 0 ~ Retry-After: 0                           | 0 0
			retry-after-ms: 0 ~ Retry-After: 1                           | 0 1
			retry-after-ms: 0 ~ Retry-After: 30                          | 0 30
			retry-after-ms: 1 ~ Retry-After: 1                           | 0 0.001
			retry-after-ms: 500 ~ Retry-After: Sun, 06 Nov 1994 08:50:07 GMT | 0 30
			retry-after-ms: 31000 ~ Retry-After: 30                      | 0 31
			retry-after-ms: 99999999999999999999999                      | 0 9223372036.854
			Retry-After: 30 ~ retry-after-ms: 29100                      | 0 29.1
			Retry-After: 30 ~ retry-after-ms: -1                         | 0 30
			Retry-After: 30 ~ retry-after-ms: soon                       | 0 30
			Retry-After: 30 ~ retry-after-ms: 20ms                       | 0 30
			Retry-After: 30 ~ retry-after-ms:                            | 0 30
			Retry-After: soon ~ retry-after-ms: 20                       | 0 0.02
			retry-after-ms: 20 ~ x-ratelimit-remaining-requests: 0 ~ x-ratelimit-reset-requests: 9s | 0 0.02
			x-ratelimit-remaining-requests: 3 ~ x-ratelimit-reset-requests: 9s                      | 0 9
			anthropic-ratelimit-requests-remaining: 3 ~ anthropic-ratelimit-requests-reset: 1994-11-06T08:50:07Z | 0 30
			RateLimit: "a";a=3;w=9                                       | 0 9
			RateLimit: "a";r=0;t=60                                      | 0 60
			RateLimit: "a";r=5;t=60                                      | 0 60
			X-RateLimit-Remaining: 3 ~ X-RateLimit-Reset: 9              | 0 9
			X-Other: 1                                                   | 0 0
			""")
	void rejectionLeavesNothing(String headers, String expected) {
		assertThat(read(429, headers)).isEqualTo(expected);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
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
					x-ratelimit-remaining: 0.0 ~ x-ratelimit-reset: 300          | 0 300
					x-ratelimit-remaining: 0.9 ~ x-ratelimit-reset: 300.0        | 0 300
					x-ratelimit-limit-requests: 60 ~ x-ratelimit-remaining-requests: 60.0 | 60 0
					RateLimit: "a";r=999999999999999999999                       | 9223372036854 0
					RateLimit: "a";a=5;w=60                                      | 5 0
					RateLimit: "a";a=0;w=60                                      | 0 60
					RateLimit: "a";w=60;a=0                                      | 0 60
					RateLimit: "a";a=0                                           | 0 0
					RateLimit: "a";a=50;w=60, "b";r=3;t=1                        | 3 0
					RateLimit: "a";a=0;w=60, "b";a=0;w=90                        | 0 90
					RateLimit: "a";r=0;t=5;w=60                                  | 0 5
					RateLimit: "a";r=0;w=60                                      | 0 0
					RateLimit: "a";r=0;a=0;t=5;w=60                              | 0 5
					RateLimit: "a";r=5;a=x;t=60                                  | 5 0
					RateLimit: "a";r=x;a=5                                       | 5 0
					RateLimit: "a";r=5;a=3, "b";a=7                              | 7 0
					RateLimit: "a";a=0;w=-1                                      | 0 0
					RateLimit: "a";a=0;w=x                                       | 0 0
					RateLimit: "a";a=999999999999999999999                       | 9223372036854 0
					RateLimit: "a";a=0;w=999999999999999999999                   | 0 9223372036854
					X-RateLimit-Remaining: 4 ~ x-ratelimit-remaining-requests: 0                    | 4 0
					x-ratelimit-remaining-requests: 4 ~ anthropic-ratelimit-requests-remaining: 0   | 4 0
					X-RateLimit-Remaining: x ~ anthropic-ratelimit-requests-remaining: 5            | 5 0
					x-ratelimit-limit-requests: 1 ~ x-ratelimit-remaining-requests: 2 ~ anthropic-ratelimit-requests-remaining: 5 | 5 0
					x-ratelimit-limit-requests: x ~ x-ratelimit-remaining-requests: 2               | 2 0
					x-ratelimit-limit-requests: -1 ~ x-ratelimit-remaining-requests: 2              | 2 0
					x-ratelimit-limit-requests: 2 ~ x-ratelimit-remaining-requests: 2               | 2 0
					X-RateLimit-Limit-Requests: 9 ~ X-RateLimit-Remaining-Requests: 2               | 2 0
					x-ratelimit-remaining-requests: 999999999999999999999                           | 9223372036854 0
					anthropic-ratelimit-requests-remaining: 999999999999999999999                   | 9223372036854 0
					anthropic-ratelimit-requests-limit: x ~ anthropic-ratelimit-requests-remaining: 2 | 2 0
					anthropic-ratelimit-requests-limit: -1 ~ anthropic-ratelimit-requests-remaining: 2 | 2 0
					Anthropic-RateLimit-Requests-Limit: 2 ~ Anthropic-RateLimit-Requests-Remaining: 2 | 2 0
					""")
	void firstValidHeadersDetermineTheLevel(String headers, String expected) {
		assertThat(read(200, headers)).isEqualTo(expected);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			Retry-After: 30
			retry-after-ms: 30
			RateLimit: "a";a=-1
			RateLimit: "a";a=x
			RateLimit: "a";w=5
			RateLimit: "a";r=5;a=3
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
			x-ratelimit-limit-requests: 30
			x-ratelimit-reset-requests: 30s
			x-ratelimit-remaining-requests: -1
			x-ratelimit-remaining-requests: many
			x-ratelimit-remaining-requests:
			x-ratelimit-limit-requests: 30 ~ x-ratelimit-remaining-requests: 31
			anthropic-ratelimit-requests-limit: 30
			anthropic-ratelimit-requests-reset: 1994-11-06T08:50:07Z
			anthropic-ratelimit-requests-remaining: -1
			anthropic-ratelimit-requests-remaining: many
			anthropic-ratelimit-requests-remaining:
			anthropic-ratelimit-requests-limit: 30 ~ anthropic-ratelimit-requests-remaining: 31
			anthropic-ratelimit-tokens-remaining: 0
			x-ratelimit-remaining-tokens: 0
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
		assertThat(read(429, "retry-after-ms: " + "9".repeat(1_000_000) + "x")).isEqualTo("0 0");
		assertThat(read(200,
				"x-ratelimit-remaining-requests: 0 ~ x-ratelimit-reset-requests: " + "9".repeat(1_000_000) + "s"))
			.isEqualTo("0 0");
		assertThat(read(200, "anthropic-ratelimit-requests-remaining: 0 ~ anthropic-ratelimit-requests-reset: "
				+ "1994-11-06T08:50:07." + "9".repeat(1_000_000) + "Z"))
			.isEqualTo("0 0");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			503 | Retry-After: 30                                 | 0 30
			503 | X-Other: 1                                      | none
			503 | retry-after-ms: 30                              | 0 0.03
			500 | retry-after-ms: 30                              | none
			503 | Retry-After: soon ~ RateLimit: "a";r=5          | 5 0
			500 | Retry-After: 30                                 | none
			301 | Retry-After: 30                                 | none
			404 | RateLimit-Remaining: 5                          | 5 0
			""")
	void statusSelectsTheHeaders(int status, String headers, String expected) {
		assertThat(read(status, headers)).isEqualTo(expected);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					X-RateLimit-Remaining: 0 ~ X-RateLimit-Reset: 1700000030 ~ Date: Tue, 14 Nov 2023 22:13:20 GMT | 0 30
					X-RateLimit-Remaining: 0 ~ X-RateLimit-Reset: 1700000030000 ~ Date: Tue, 14 Nov 2023 22:13:20 GMT | 0 30
					X-RateLimit-Remaining: 0 ~ X-RateLimit-Reset: 1600000000 ~ Date: Tue, 14 Nov 2023 22:13:20 GMT | 0 0
					X-RateLimit-Remaining: 0 ~ X-RateLimit-Reset: 1000000000                                       | 0 215888223
					X-RateLimit-Remaining: 0 ~ X-RateLimit-Reset: 1000000000 ~ Date: yesterday                     | 0 215888223
					anthropic-ratelimit-requests-remaining: 0 ~ Date: Tue, 14 Nov 2023 22:13:20 GMT ~ anthropic-ratelimit-requests-reset: 2023-11-14T22:13:50Z | 0 30
					""")
	void resetSinceTheEpochIsComparedWithTheClockOfTheProvider(String headers, String expected) {
		assertThat(read(200, headers)).isEqualTo(expected);
	}

	@Test
	void dateOfRetryAfterIsComparedWithTheClockOfTheProvider() {
		assertThat(read(429, "Retry-After: Tue, 14 Nov 2023 22:13:50 GMT ~ Date: Tue, 14 Nov 2023 22:13:20 GMT"))
			.isEqualTo("0 30");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			1s                      | 1
			6m0s                    | 360
			20ms                    | 0.02
			1h2m3.5s                | 3723.5
			1d12h                   | 129600
			1m20ms                  | 60.02
			2m59.56s                | 179.56
			0.2ms                   | 0.001
			0s                      | 0
			' 1s '                  | 1
			30                      | 30
			29.25                   | 30
			784111807               | 784111807
			784111807s              | 784111807
			99999999999999999999h   | 9223372036.854
			-1s                     | 0
			1x                      | 0
			s                       | 0
			1s1m                    | 0
			1s1s                    | 0
			1 s                     | 0
			6m0                     | 0
			1.s                     | 0
			1S                      | 0
			''                      | 0
			soon                    | 0
			""")
	void resetOfRequestsIsADuration(String reset, String seconds) {
		assertThat(read(200, "x-ratelimit-limit-requests: 60 ~ x-ratelimit-remaining-requests: 0 ~ "
				+ "x-ratelimit-reset-requests: " + reset))
			.isEqualTo("0 " + seconds);
		assertThat(read(200, "x-ratelimit-limit-requests: 60 ~ x-ratelimit-remaining-requests: 7 ~ "
				+ "x-ratelimit-reset-requests: " + reset))
			.isEqualTo("7 0");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			1994-11-06T08:50:07Z                  | 30
			1994-11-06T08:50:07.250Z              | 30.25
			1994-11-06T09:50:07+01:00             | 30
			1994-11-06t08:50:07z                  | 30
			1994-11-06T08:49:00Z                  | 0
			9999-12-31T23:59:59Z                  | 252618189022
			+99999-12-31T23:59:59Z                | 3092743869022
			-0001-12-31T23:59:59Z                 | 0
			1994-11-06T08:50:07                   | 0
			1994-13-06T08:50:07Z                  | 0
			1994-02-30T08:50:07Z                  | 0
			08:50:07Z                             | 0
			soon                                  | 0
			''                                    | 0
			""")
	void resetOfAnthropicRequestsIsATime(String reset, String seconds) {
		assertThat(read(200, "anthropic-ratelimit-requests-limit: 50 ~ anthropic-ratelimit-requests-remaining: 0 ~ "
				+ "anthropic-ratelimit-requests-reset: " + reset))
			.isEqualTo("0 " + seconds);
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

	private static String seconds(Duration time) {
		BigDecimal nanos = BigDecimal.valueOf(time.toNanosPart(), 9);
		return BigDecimal.valueOf(time.toSeconds()).add(nanos).stripTrailingZeros().toPlainString();
	}

}
