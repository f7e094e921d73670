package io.tierlimit.application;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPInputStream;

import io.tierlimit.application.RawHttp.Reply;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that a rejection is a regular response, whichever features of HTTP the request
 * uses.
 */
@Tag("slow")
class ProtocolTests {

	private static final String ONE_REQUEST = "tierlimit.rules.r.rate=1/d";

	/** Applies to requests that accept a compressed response. */
	private static final String[] COMPRESSION = { "server.compression.enabled=true",
			"server.compression.min-response-size=1", "server.compression.mime-types=application/problem+json" };

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	private RunningApplication application;

	private RawHttp server;

	@ParameterizedTest
	@ValueSource(strings = { "Content-Length: 100000000\r\n", "Content-Length: 100000000\r\nExpect: 100-continue\r\n",
			"Transfer-Encoding: chunked\r\n" })
	void uploadIsRejectedBeforeItsBodyIsRead(String headers) {
		start(ONE_REQUEST);
		CorsApplication.Handlers handlers = this.application.bean(CorsApplication.Handlers.class);
		int before = handlers.uploads();
		this.server.send("POST /upload HTTP/1.1", "Content-Length: 3\r\n", "abc");
		// Only the header is sent: a server that waits for the body never responds.
		assertThat(this.server.statusOf("POST /upload HTTP/1.1", headers)).isEqualTo(429);
		assertThat(handlers.uploads()).isEqualTo(before + 1);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			GET /hello.txt        | Range: bytes=0-1
			HEAD /hello.txt       | Accept: */*
			GET /same-origin/data | Cookie: JSESSIONID=0123456789ABCDEF0123456789ABCDEF
			GET /same-origin/data | Accept: text/html
			""")
	void rejectionIsAProblemWhateverIsRequested(String request, String header) {
		start(ONE_REQUEST);
		assertThat(this.server.send(request + " HTTP/1.1", header + "\r\n", "").header("RateLimit")).contains("r=0");
		Reply rejected = this.server.send(request + " HTTP/1.1", header + "\r\n", "");
		assertThat(rejected.status()).isEqualTo(429);
		assertThat(rejected.header("Content-Type")).isEqualTo("application/problem+json");
		assertThat(rejected.header("Content-Range")).as("a range").isEmpty();
		assertThat(rejected.header("Set-Cookie")).as("a session").isEmpty();
		assertThat(rejected.text().endsWith("\r\n\r\n")).as("no body").isEqualTo(request.startsWith("HEAD"));
	}

	@Test
	void rejectionIsCompressedIfResponsesAre() throws Exception {
		start(ONE_REQUEST);
		this.server.send("GET /same-origin/data HTTP/1.1", "", "");
		HttpRequest request = HttpRequest.newBuilder(URI.create(this.application.address() + "/same-origin/data"))
			.header("Accept-Encoding", "gzip")
			.build();
		HttpResponse<byte[]> rejected = HttpClient.newHttpClient().send(request, BodyHandlers.ofByteArray());
		assertThat(rejected.statusCode()).isEqualTo(429);
		assertThat(rejected.headers().firstValue("Content-Encoding")).hasValue("gzip");
		assertThat(unzip(rejected.body())).contains("violated-policies");
	}

	@Test
	void handshakeOfAWebSocketIsCharged() {
		start("tierlimit.rules.r.rate=2/d", "tierlimit.rules.r.paths=/upgrade");
		String handshake = "Upgrade: echo\r\n";
		for (int i = 0; i < 4; i++) {
			Reply reply = this.server.send("GET /upgrade HTTP/1.1", handshake, "");
			assertThat(reply.status()).isEqualTo((i < 2) ? 101 : 429);
		}
	}

	@Test
	void streamOfEventsIsChargedOnce() {
		start("tierlimit.rules.r.rate=2/d", "tierlimit.rules.r.scope=endpoint");
		for (int i = 0; i < 2; i++) {
			Reply reply = this.server.send("GET /events HTTP/1.1", "Accept: text/event-stream\r\n", "");
			assertThat(reply.text()).contains("r=" + (1 - i)).contains("data:0", "data:1", "data:2");
		}
		assertThat(this.server.send("GET /events HTTP/1.1", "Accept: text/event-stream\r\n", "").status())
			.isEqualTo(429);
	}

	private void start(String... properties) {
		this.application = applications.start(CorsApplication.class, COMPRESSION, properties);
		this.server = this.application.raw();
	}

	private static String unzip(byte[] body) throws IOException {
		try (GZIPInputStream unzipped = new GZIPInputStream(new ByteArrayInputStream(body))) {
			return new String(unzipped.readAllBytes(), StandardCharsets.UTF_8);
		}
	}

}
