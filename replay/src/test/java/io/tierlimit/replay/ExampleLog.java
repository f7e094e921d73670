package io.tierlimit.replay;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * The log of the documentation: 40 clients during three hours. One client reads the whole
 * search for twenty minutes, and one client loads many pages at once.
 */
final class ExampleLog {

	private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ENGLISH)
		.withZone(ZoneOffset.UTC);

	private static final Instant START = Instant.parse("2026-11-23T08:00:00Z");

	private static final List<String> PATHS = List.of("/", "/api/search?q=shoes", "/api/orders/17", "/app.js");

	private ExampleLog() {
	}

	static Path write(Path file) throws IOException {
		Random random = new Random(7);
		List<String> lines = new ArrayList<>();
		for (int second = 0; second < 3 * 60 * 60; second++) {
			lines.add(line(second, "203.0.113." + (1 + random.nextInt(40)), PATHS.get(random.nextInt(PATHS.size()))));
			if (second >= 4000 && second < 5200) {
				lines.add(line(second, "198.51.100.23", "/api/search?q=" + second));
			}
			if (second >= 9000 && second < 9010) {
				for (int i = 0; i < 6; i++) {
					lines.add(line(second, "198.51.100.77", "/"));
				}
			}
		}
		lines.add("a line that is not a request");
		return Files.write(file, lines);
	}

	private static String line(int second, String address, String path) {
		return "%s - - [%s] \"GET %s HTTP/1.1\" 200 512 \"-\" \"Mozilla/5.0\"".formatted(address,
				TIME.format(START.plusSeconds(second)), path);
	}

}
