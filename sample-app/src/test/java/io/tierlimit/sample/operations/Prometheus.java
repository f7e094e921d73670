package io.tierlimit.sample.operations;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.tierlimit.junit.Poll;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A real Prometheus that scrapes a shop and evaluates rules every second, reachable from
 * this machine only.
 */
final class Prometheus implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final String READY = "Server is ready to receive web requests";

	private static final Pattern LISTENING = Pattern.compile("msg=\"Listening on\".*address=127\\.0\\.0\\.1:(\\d+)");

	private static final JsonMapper JSON = new JsonMapper();

	private final HttpClient client = HttpClient.newHttpClient();

	private final Instant start = Instant.now();

	private final Path log;

	private final Process process;

	/** Ends the process if a test run is aborted. */
	private final Thread end = new Thread(this::kill);

	private final int port;

	private Prometheus(Path directory) throws IOException {
		this.log = directory.resolve("prometheus.log");
		this.process = new ProcessBuilder(Tool.PROMETHEUS.path(), "--config.file=prometheus.yml",
				"--storage.tsdb.path=data", "--web.listen-address=127.0.0.1:0")
			.directory(directory.toFile())
			.redirectErrorStream(true)
			.redirectOutput(this.log.toFile())
			.start();
		Runtime.getRuntime().addShutdownHook(this.end);
		try {
			Poll.until(PATIENCE, () -> read(this.log).contains(READY) || !this.process.isAlive(), () -> read(this.log));
			this.port = port(read(this.log));
		}
		catch (RuntimeException ex) {
			close();
			throw ex;
		}
	}

	/**
	 * Starts it.
	 * @param directory its working directory, which is empty
	 * @param rules a file of rules
	 * @param target the port of the shop
	 */
	static Prometheus start(Path directory, Path rules, int target) throws IOException {
		Files.writeString(directory.resolve("prometheus.yml"), """
				global:
				  scrape_interval: 1s
				  evaluation_interval: 1s
				rule_files: ['%s']
				scrape_configs:
				  - job_name: shop
				    metrics_path: /actuator/prometheus
				    basic_auth: { username: olga, password: secret }
				    static_configs:
				      - targets: ['127.0.0.1:%d']
				""".formatted(rules.toRealPath(), target));
		return new Prometheus(directory);
	}

	/** The current value of each series of a result, by its labels. */
	Map<Map<String, String>, Double> query(String expression) {
		Map<Map<String, String>, Double> values = new HashMap<>();
		for (JsonNode series : get("query?query=" + encode(expression)).get("result")) {
			values.put(labels(series), value(series.get("value")));
		}
		return values;
	}

	/** The maximum value of each series of a result since startup, by its labels. */
	Map<Map<String, String>, Double> most(String expression) {
		Map<Map<String, String>, Double> most = new HashMap<>();
		String range = "&step=1&start=" + this.start.getEpochSecond() + "&end=" + (Instant.now().getEpochSecond() + 1);
		for (JsonNode series : get("query_range?query=" + encode(expression) + range).get("result")) {
			double max = Double.NEGATIVE_INFINITY;
			for (JsonNode value : series.get("values")) {
				max = Double.isNaN(value(value)) ? max : Math.max(max, value(value));
			}
			most.put(labels(series), max);
		}
		return most;
	}

	/** The response of the API. */
	JsonNode get(String resource) {
		URI uri = URI.create("http://127.0.0.1:" + this.port + "/api/v1/" + resource);
		try {
			String body = this.client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).body();
			JsonNode answer = JSON.readTree(body);
			if (!answer.path("status").asString("").equals("success")) {
				throw new AssertionError(uri + ": " + body);
			}
			return answer.get("data");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted: " + uri, ex);
		}
	}

	@Override
	public void close() {
		kill();
		Runtime.getRuntime().removeShutdownHook(this.end);
	}

	private void kill() {
		try {
			this.process.destroy();
			if (!this.process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
				this.process.destroyForcibly().waitFor();
			}
		}
		catch (InterruptedException ex) {
			this.process.destroyForcibly();
			Thread.currentThread().interrupt();
		}
	}

	private static Map<String, String> labels(JsonNode series) {
		Map<String, String> labels = new TreeMap<>();
		series.get("metric").properties().forEach((label) -> labels.put(label.getKey(), label.getValue().asString()));
		return labels;
	}

	/** The value of a pair of a time and a value. */
	private static double value(JsonNode pair) {
		String value = pair.get(1).asString();
		return value.endsWith("Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(value);
	}

	private static String encode(String text) {
		return URLEncoder.encode(text, StandardCharsets.UTF_8);
	}

	private static int port(String log) {
		Matcher line = LISTENING.matcher(log);
		if (!line.find()) {
			throw new IllegalStateException("Prometheus did not start: " + log);
		}
		return Integer.parseInt(line.group(1));
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
