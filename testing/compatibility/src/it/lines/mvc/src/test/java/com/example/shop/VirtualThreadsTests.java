package com.example.shop;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Starts the application with a JDK 25: the JDK that runs this test, the JDK in
 * JAVA_HOME_25, or a JDK that is installed next to the JDK that runs this test.
 */
class VirtualThreadsTests {

	private static final Pattern PORT = Pattern.compile("started on port (\\d+)");

	@Test
	void virtualThreadsOnJava25() throws Exception {
		Optional<Path> java = java25();
		if (java.isEmpty()) {
			System.out.println("NOT TESTED: virtual threads on Java 25. Set JAVA_HOME_25 to a JDK 25.");
		}
		Assumptions.assumeTrue(java.isPresent(), "no JDK 25 found; set JAVA_HOME_25");
		Process application = new ProcessBuilder(java.get().toString(), "-cp", System.getProperty("java.class.path"),
				ShopApplication.class.getName(), "--server.port=0", "--spring.threads.virtual.enabled=true")
			.redirectErrorStream(true)
			.start();
		try {
			String shop = "http://localhost:" + port(application.inputReader());
			assertThat(get(shop + "/thread").body()).startsWith("VirtualThread").endsWith(" on Java 25");
			for (int i = 1; i < 10; i++) {
				assertThat(get(shop + "/thread").statusCode()).isEqualTo(200);
			}
			HttpResponse<String> rejected = get(shop + "/thread");
			assertThat(rejected.statusCode()).isEqualTo(429);
			assertThat(rejected.body()).contains("\"violated-policies\":[\"per-ip\"]");
		}
		finally {
			application.destroyForcibly().waitFor();
		}
	}

	private static String port(BufferedReader log) throws IOException {
		StringBuilder lines = new StringBuilder();
		for (String line = log.readLine(); line != null; line = log.readLine()) {
			lines.append(line).append('\n');
			Matcher matcher = PORT.matcher(line);
			if (matcher.find()) {
				return matcher.group(1);
			}
		}
		throw new AssertionError("The application did not start:\n" + lines);
	}

	private static Optional<Path> java25() throws IOException {
		Path running = Path.of(System.getProperty("java.home"));
		String named = System.getenv("JAVA_HOME_25");
		try (Stream<Path> siblings = Files.list(running.getParent())) {
			return Stream.concat(Stream.concat(Stream.of(running), Stream.ofNullable(named).map(Path::of)), siblings)
				.filter(VirtualThreadsTests::isJava25)
				.map((home) -> home.resolve("bin/java"))
				.findFirst();
		}
	}

	private static boolean isJava25(Path home) {
		Properties release = new Properties();
		try (Reader reader = Files.newBufferedReader(home.resolve("release"))) {
			release.load(reader);
		}
		catch (IOException ex) {
			return false;
		}
		return release.getProperty("JAVA_VERSION", "").startsWith("\"25");
	}

	private static HttpResponse<String> get(String uri) throws IOException, InterruptedException {
		return HttpClient.newHttpClient()
			.send(HttpRequest.newBuilder(URI.create(uri)).build(), BodyHandlers.ofString());
	}

}
