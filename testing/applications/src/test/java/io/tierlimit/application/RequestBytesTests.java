package io.tierlimit.application;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;

import io.tierlimit.PermitRequest;
import io.tierlimit.Verdict;
import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.junit.Poll;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.VerdictListener;
import io.tierlimit.store.SimulatedTicker;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.multipart.MultipartFile;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the sizes of bodies that a server receives by HTTP/1.1 and HTTP/2, with and
 * without a header that announces the length.
 */
@TestInstance(Lifecycle.PER_CLASS)
@Tag("slow")
class RequestBytesTests {

	private static final String TEXT = "gr\u00fc\u00df".repeat(5_000);

	/** The number of bytes of the text. */
	private static final long SIZE = 30_000;

	private static final String MULTIPART = """
			--x\r
			Content-Disposition: form-data; name="file"; filename="f.txt"\r
			\r
			%s\r
			--x\r
			Content-Disposition: form-data; name="field"\r
			\r
			12345\r
			--x--\r
			""";

	/** The header that identifies a request, which has its own bucket. */
	private static final String ID = "Request";

	private static final long BURST = 100_000;

	/** The cost of a request with a body of unknown size. */
	private static final long ESTIMATE = 7;

	private static final String[] RULES = RunningApplication.rules("sent.rate=1000/d", "sent.burst=" + BURST,
			"sent.cost=" + ESTIMATE, "sent.actual-cost=requestBytes", "sent.key=header('" + ID + "')",
			"sent.on-missing-key=skip");

	private Map<Version, RunningApplication> servers = Map.of();

	private int requests;

	@BeforeAll
	void start() {
		this.servers = Map.of(Version.HTTP_1_1, start("false"), Version.HTTP_2, start("true"));
	}

	private static RunningApplication start(String http2) {
		return RunningApplication.start(Application.class,
				RunningApplication.with(RULES, "tierlimit.keys.hash=none", "server.http2.enabled=" + http2));
	}

	@AfterAll
	void stop() {
		this.servers.values().forEach(RunningApplication::close);
	}

	@ParameterizedTest
	@CsvSource({ "/stream", "/reader", "/listener", "/callable", "/forward" })
	void bodyIsCountedAsItIsRead(String path) {
		for (Version version : this.servers.keySet()) {
			String expected = Integer.toString("/reader".equals(path) ? TEXT.length() : (int) SIZE);
			Sent announced = send(version, path, "text/plain;charset=UTF-8", BodyPublishers.ofString(TEXT));
			assertThat(announced.response().body()).isEqualTo(expected);
			assertThat(announced.size()).as(version + " " + path).isEqualTo(SIZE);
			Sent chunked = send(version, path, "text/plain;charset=UTF-8", chunked(TEXT));
			assertThat(chunked.response().body()).isEqualTo(expected);
			assertThat(chunked.size()).as(version + " " + path + " chunked").isEqualTo(SIZE);
		}
	}

	@ParameterizedTest
	@EnumSource
	void sizeOfABodyThatIsNotReadIsKnownIfItIsAnnounced(Version version) throws Exception {
		assertThat(sizeOfIgnored(version, BodyPublishers.ofString(TEXT))).isEqualTo(SIZE);
		assertThat(sizeOfIgnored(version, chunked(TEXT))).isEqualTo(ESTIMATE);
	}

	@ParameterizedTest
	@EnumSource
	void requestWithoutABodyHasTheSizeZero(Version version) {
		for (String path : List.of("/ignored", "/stream", "/callable")) {
			assertThat(measure(version, "GET", path, BodyPublishers.noBody()).size()).as(path).isZero();
		}
	}

	@ParameterizedTest
	@EnumSource
	void valuesOfAFormAreCounted(Version version) {
		String form = "a=" + "x".repeat(9_000) + "&b=%C3%BC&b=";
		String type = "application/x-www-form-urlencoded";
		assertThat(send(version, "/form?b=query", type, BodyPublishers.ofString(form)).size()).isEqualTo(form.length());
		Sent chunked = send(version, "/form?b=query", type, chunked(form));
		assertThat(chunked.response().body()).isEqualTo("9000 query,\u00fc,");
		assertThat(chunked.size()).isEqualTo(1 + 9_000 + 1 + 2 + 1);
	}

	@ParameterizedTest
	@EnumSource
	void partsOfAnUploadAreCountedAlthoughTheirFilesAreDeleted(Version version) {
		String upload = MULTIPART.formatted(TEXT);
		String type = "multipart/form-data;boundary=x";
		assertThat(send(version, "/upload", type, BodyPublishers.ofString(upload)).size())
			.isEqualTo(upload.getBytes(StandardCharsets.UTF_8).length);
		Sent chunked = send(version, "/upload", type, chunked(upload));
		assertThat(chunked.response().body()).isEqualTo("30000 12345");
		assertThat(chunked.size()).isEqualTo(SIZE + 5);
	}

	private Sent send(Version version, String path, String type, BodyPublisher body) {
		return measure(version, "POST", path, body, "Content-Type", type);
	}

	private Sent measure(Version version, String method, String path, BodyPublisher body, String... headers) {
		RunningApplication server = server(version);
		// The first request changes the protocol of the connection to HTTP/2.
		server.get("/ignored");
		String id = nextId();
		Response response = server.send(method, path, body, RunningApplication.with(headers, ID, id));
		assertThat(response.status()).isEqualTo(200);
		assertThat(response.response().version()).isEqualTo(version);
		return new Sent(response, size(server, id));
	}

	/**
	 * The size of a body that the handler does not read. A server may end a connection of
	 * HTTP/2 on which the rest of such a body arrives, so each request has its own, and
	 * its response may be lost.
	 */
	private long sizeOfIgnored(Version version, BodyPublisher body) throws Exception {
		RunningApplication server = server(version);
		HttpClient client = HttpClient.newHttpClient();
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.address() + "/ignored"));
		assertThat(client.send(request.build(), BodyHandlers.ofString()).version()).isEqualTo(version);
		String id = nextId();
		Future<?> response = client.sendAsync(request.header(ID, id).POST(body).build(), BodyHandlers.discarding());
		long size = size(server, id);
		response.cancel(true);
		return size;
	}

	private RunningApplication server(Version version) {
		return Objects.requireNonNull(this.servers.get(version));
	}

	private String nextId() {
		return Integer.toString(++this.requests);
	}

	/** The permits that a request has consumed, which is the size of its body. */
	private static long size(RunningApplication server, String id) {
		Set<String> ended = server.bean(Ended.class).ids;
		Poll.until(() -> ended.contains(id), () -> "Not ended");
		return BURST - server.left(PermitRequest.of("sent").part("key", id));
	}

	private static BodyPublisher chunked(String body) {
		return BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body.getBytes(StandardCharsets.UTF_8)));
	}

	private record Sent(Response response, long size) {

	}

	/**
	 * Records the requests whose costs are settled.
	 */
	static final class Ended implements VerdictListener {

		private final Set<String> ids = ConcurrentHashMap.newKeySet();

		@Override
		public void onVerdict(Verdict verdict, Caller caller) {
			verdict.decisions().forEach((decision) -> this.ids.add(decision.key()));
		}

	}

	/**
	 * Handlers that read bodies in every way.
	 */
	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ SimulatedTicker.class, Ended.class, Handlers.class, Forwards.class })
	static class Application {

		@Bean
		ServletRegistrationBean<HttpServlet> listening() {
			return new ServletRegistrationBean<>(new Listening(), "/listener");
		}

		@Bean
		SecurityFilterChain security(HttpSecurity http) {
			return http.csrf(AbstractHttpConfigurer::disable)
				.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll())
				.build();
		}

	}

	@RestController
	static class Handlers {

		@RequestMapping("/ignored")
		String ignored() {
			return "ignored";
		}

		@RequestMapping("/stream")
		int stream(@RequestBody(required = false) byte @Nullable [] body) {
			return (body != null) ? body.length : 0;
		}

		@RequestMapping("/reader")
		int reader(HttpServletRequest request) throws IOException {
			try (BufferedReader reader = request.getReader()) {
				return reader.readLine().length();
			}
		}

		@RequestMapping("/callable")
		Callable<Integer> callable(HttpServletRequest request) {
			return () -> request.getInputStream().readAllBytes().length;
		}

		@RequestMapping("/form")
		String form(@RequestParam String a, @RequestParam List<String> b) {
			return String.format(Locale.ROOT, "%d %s", a.length(), String.join(",", b));
		}

		@RequestMapping("/upload")
		String upload(@RequestParam MultipartFile file, @RequestParam String field) {
			return file.getSize() + " " + field;
		}

	}

	@Controller
	static class Forwards {

		@RequestMapping("/forward")
		String forward() {
			return "forward:/stream";
		}

	}

	/**
	 * Reads without blocking.
	 */
	private static final class Listening extends HttpServlet {

		private static final long serialVersionUID = 1L;

		@Override
		protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
			AsyncContext context = request.startAsync();
			ServletInputStream body = request.getInputStream();
			body.setReadListener(new ReadListener() {

				private int size;

				@Override
				public void onDataAvailable() throws IOException {
					byte[] block = new byte[1_000];
					while (body.isReady() && !body.isFinished()) {
						this.size += Math.max(0, body.read(block));
					}
				}

				@Override
				public void onAllDataRead() throws IOException {
					response.getWriter().print(this.size);
					context.complete();
				}

				@Override
				public void onError(Throwable failure) {
					context.complete();
				}

			});
		}

	}

}
