package io.tierlimit.replay;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.GZIPOutputStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests the reading of access logs.
 */
class AccessLogTests {

	private static final String COMMON = "203.0.113.7 - ann [23/Nov/2026:09:30:00 +0100] \"GET /orders?id=1 HTTP/1.1\" 200 12";

	@TempDir
	private Path directory;

	@Test
	void commonLogFormat() throws IOException {
		assertThat(read(LogFields.DEFAULT, COMMON)).containsExactly(new LoggedRequest(
				Instant.parse("2026-11-23T08:30:00Z"), "GET", "/orders?id=1", "203.0.113.7", "ann", 200, Map.of()));
	}

	@Test
	void combinedLogFormatHasTwoHeaders() throws IOException {
		LoggedRequest request = read(LogFields.DEFAULT, COMMON + " \"https://example.org/\" \"curl/8 \\\"x\\\"\" more")
			.get(0);
		assertThat(request.header("Referer")).isEqualTo("https://example.org/");
		assertThat(request.header("User-Agent")).isEqualTo("curl/8 \"x\"");
	}

	@Test
	void escapesAndSpacesAndMissingValues() throws IOException {
		LoggedRequest request = read(LogFields.DEFAULT,
				"::1 - ann lee [23/Nov/2026:08:30:00.25 +0000] \"GET /a\\x22b\\\\c\\xc3\\xa4\" - -")
			.get(0);
		assertThat(request.user()).isEqualTo("ann lee");
		assertThat(request.time()).isEqualTo("2026-11-23T08:30:00.250Z");
		assertThat(request.target()).isEqualTo("/a\"b\\c\u00e4");
		assertThat(request.status()).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "'2026-11-23T09:30:00.5+01:00'", "'2026-11-23T08:30:00.5Z'", "1795422600.5",
			"1795422600500", "'1795422600500000'", "'23/Nov/2026:08:30:00.5 +0000'", "'2026-11-23T09:30:00.5+0100'" })
	void timesOfJsonLines(String time) throws IOException {
		assertThat(read(LogFields.DEFAULT, json("{'time':" + time + ",'method':'GET','path':'/'}")))
			.extracting(LoggedRequest::time)
			.containsExactly(Instant.parse("2026-11-23T08:30:00.500Z"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "'2026-11-23T09:30:00'", "'yesterday'", "-5", "'+999999999-01-01T00:00:00Z'", "1e99" })
	void timesWithoutAZoneOrOutOfRangeAreNotRead(String time) throws IOException {
		try (AccessLog log = open(LogFields.DEFAULT, json("{'time':" + time + ",'method':'GET','path':'/'}"))) {
			assertThat(log.next()).isNull();
			assertThat(log.unreadableExamples()).singleElement().asString().contains("is not a time with a zone");
		}
	}

	/** The previous time may be used to read a time. */
	@Test
	void timesOfConsecutiveLinesDoNotAffectEachOther() throws InvalidLineException {
		List<String> texts = List.of("23/Nov/2026:08:30:00 +0000", "23/Nov/2026:08:30:09 +0000",
				"23/Nov/2026:08:30:10 +0000", "23/Nov/2026:08:30:59 +0000", "23/Nov/2026:08:31:00 +0000",
				"23/Nov/2026:09:30:09 +0000", "23/Nov/2026:08:30:09 +0100", "24/Nov/2026:08:30:09 +0000",
				"23/Dec/2026:08:30:09 +0000", "23/Nov/2025:08:30:09 +0000", "23/Nov/2026:08:30:09.5 +0000",
				"2026-11-23T08:30:09.000+00", "1795422600");
		LogTime times = new LogTime();
		for (String before : texts) {
			for (String text : texts) {
				times.parse(before);
				assertThat(times.parse(text)).as("%s after %s", text, before).isEqualTo(new LogTime().parse(text));
			}
		}
		for (String second : List.of("60", "61", "0a", "a0", " 1", "99", "-1")) {
			times.parse(texts.get(0));
			assertThatExceptionOfType(InvalidLineException.class)
				.isThrownBy(() -> times.parse("23/Nov/2026:08:30:" + second + " +0000"));
		}
	}

	@Test
	void fieldsOfJsonLinesHaveConfiguredNames() throws IOException {
		LogFields fields = new LogFields(Map.of("time", "@timestamp", "request", "http.request", "address", "client",
				"header.X-Api-Key", "headers.X-Api-Key", "duration", "took", "tenant", "org"));
		LoggedRequest request = read(fields,
				json("{'@timestamp':'2026-11-23T08:30:02Z','http':{'request':'PUT /a?b HTTP/2'},'client':'::1',"
						+ "'plan':'pro','headers':{'X-Api-Key':['k1','k2']},'took':1.5,'org':7,'user':'-','status':'404'}"))
			.get(0);
		assertThat(request).isEqualTo(new LoggedRequest(Instant.parse("2026-11-23T08:30:00.500Z"), "PUT", "/a?b", "::1",
				null, 404, Map.of("plan", "pro", "header.x-api-key", "k1", "tenant", "7")));
	}

	@Test
	void pathAndQueryMayBeSeparate() throws IOException {
		assertThat(read(LogFields.DEFAULT, json("{'time':1,'method':'GET','path':'/a','query':'?b=c'}"),
				json("{'time':2,'method':'GET','path':'/a','query':'b=c'}")))
			.extracting(LoggedRequest::target)
			.containsExactly("/a?b=c", "/a?b=c");
	}

	@Test
	void linesWithoutARequestAreCountedAndTheFirstAreShownWithoutControlCharacters() throws IOException {
		try (AccessLog log = open(LogFields.DEFAULT, "\u001b[2J\u202e spoof", "", COMMON, "{", "x",
				COMMON.replace("GET /orders?id=1 HTTP/1.1", "-"))) {
			assertThat(log.next()).isNotNull();
			assertThat(log.next()).isNull();
			assertThat(log.readable()).isEqualTo(1);
			assertThat(log.unreadable()).isEqualTo(4);
			assertThat(log.unreadableExamples()).hasSize(3)
				.allSatisfy((example) -> assertThat(example.chars()).noneMatch(Character::isISOControl))
				.first()
				.asString()
				.contains("test, line 1: not a line of the Common", "\\u{1b}[2J\\u{202e} spoof");
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '\'', textBlock = """
			10.0.0.1 - - [23/Nov/2026:09:30:00 +0000] "GET /a                | no request line such as GET
			10.0.0.1 - - [23/Nov/2026:09:30:00 +0000] - 408 0                | no request line such as GET
			10.0.0.1 - - [yesterday] "GET /a HTTP/1.1" 200 1                 | yesterday
			10.0.0.1 [23/Nov/2026:09:30:00 +0000] "GET /a HTTP/1.1" 200 1    | not a line of the Common
			10.0.0.1 [x - - [23/Nov/2026:09:30:00 +0000] "GET /a HTTP/1.1" 1 | not a line of the Common
			""")
	void lineThatIsNotReadHasAReason(String line, String reason) throws IOException {
		try (AccessLog log = open(LogFields.DEFAULT, line)) {
			assertThat(log.next()).isNull();
			assertThat(log.unreadableExamples()).singleElement().asString().contains(reason);
		}
	}

	@Test
	void longLinesAreNotKept() throws IOException {
		String line = COMMON.replace("/orders", "/" + "a".repeat(LogLines.MAX_LENGTH));
		try (AccessLog log = open(LogFields.DEFAULT, line, COMMON, line)) {
			assertThat(log.next()).isNotNull();
			assertThat(log.next()).isNull();
			assertThat(log.unreadable()).isEqualTo(2);
			assertThat(log.unreadableExamples().get(0)).endsWith("longer than 65536 bytes");
		}
	}

	@Test
	void linesAreSortedWithinAMinute() throws IOException {
		assertThat(seconds(10, 70, 12, 11, 71, 13, 131)).containsExactly(10L, 11L, 12L, 13L, 70L, 71L, 131L);
		try (AccessLog log = open(LogFields.DEFAULT, line(10), line(200), line(300), line(20))) {
			List<LoggedRequest> requests = all(log);
			assertThat(requests).extracting((request) -> request.time().getEpochSecond())
				.containsExactly(10L, 200L, 20L, 300L);
			assertThat(log.late()).isEqualTo(1);
		}
	}

	/** Two requests of each second keep their order. */
	@Test
	void linesInAnyOrderWithinAMinuteAreSorted() throws IOException {
		Random random = new Random(20261123);
		for (int round = 0; round < 50; round++) {
			List<LoggedRequest> expected = new ArrayList<>();
			List<String> lines = new ArrayList<>();
			for (int i = 0; i < 100; i++) {
				int second = 1000 + i / 2 + random.nextInt(round + 1) / 2;
				lines.add(json("{'time':" + second + ",'method':'GET','path':'/" + i + "'}"));
				expected
					.add(new LoggedRequest(Instant.ofEpochSecond(second), "GET", "/" + i, null, null, null, Map.of()));
			}
			expected.sort(Comparator.comparing(LoggedRequest::time));
			assertThat(read(LogFields.DEFAULT, lines.toArray(String[]::new))).isEqualTo(expected);
		}
	}

	@Test
	void filesAreMergedAndMayBeCompressed() throws IOException {
		Path plain = Files.writeString(this.directory.resolve("b.log"), line(3) + "\r\n" + line(4) + "\r\n");
		Path compressed = this.directory.resolve("a.log.1.gz");
		try (OutputStream output = new GZIPOutputStream(Files.newOutputStream(compressed))) {
			output.write((line(1) + "\n" + line(2) + "\n" + line(4)).getBytes(StandardCharsets.UTF_8));
		}
		try (AccessLog log = AccessLog.open(List.of(plain, compressed), LogFields.DEFAULT)) {
			assertThat(all(log)).extracting((request) -> request.time().getEpochSecond())
				.containsExactly(1L, 2L, 3L, 4L, 4L);
			assertThat(log.bytesRead()).isEqualTo(Files.size(plain) + Files.size(compressed));
		}
	}

	@Test
	void factsComeFromTheFirstRequests() throws IOException {
		try (AccessLog log = open(LogFields.DEFAULT, COMMON.replace("ann", "-"), COMMON + " \"-\" \"curl\"")) {
			assertThat(log.facts()).containsExactlyInAnyOrder("address", "user", "status", "header.user-agent");
		}
	}

	private List<Long> seconds(int... times) throws IOException {
		return read(LogFields.DEFAULT, Arrays.stream(times).mapToObj(AccessLogTests::line).toArray(String[]::new))
			.stream()
			.map((request) -> request.time().getEpochSecond())
			.toList();
	}

	private static String line(int second) {
		return json("{'time':" + second + ",'method':'GET','path':'/'}");
	}

	private static String json(String text) {
		return text.replace('\'', '"');
	}

	private static List<LoggedRequest> read(LogFields fields, String... lines) throws IOException {
		try (AccessLog log = open(fields, lines)) {
			List<LoggedRequest> requests = all(log);
			assertThat(log.unreadableExamples()).isEmpty();
			return requests;
		}
	}

	private static List<LoggedRequest> all(AccessLog log) throws IOException {
		List<LoggedRequest> requests = new ArrayList<>();
		for (LoggedRequest request = log.next(); request != null; request = log.next()) {
			requests.add(request);
		}
		return requests;
	}

	private static AccessLog open(LogFields fields, String... lines) throws IOException {
		byte[] bytes = String.join("\n", lines).getBytes(StandardCharsets.UTF_8);
		return AccessLog.open("test", new ByteArrayInputStream(bytes), fields);
	}

}
