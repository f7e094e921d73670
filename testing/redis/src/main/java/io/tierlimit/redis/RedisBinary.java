package io.tierlimit.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * The {@code redis-server} that tests start: the binary in the embedded-redis artifact,
 * or the file in the system property or environment variable {@value #OVERRIDE}.
 */
public final class RedisBinary {

	static final String OVERRIDE = "TIERLIMIT_TEST_REDIS";

	private RedisBinary() {
	}

	/** An executable file. The path does not change during the life of this JVM. */
	public static Path path() {
		String override = System.getProperty(OVERRIDE, System.getenv(OVERRIDE));
		return (override == null || override.isBlank()) ? Extracted.PATH : named(override);
	}

	private static Path named(String override) {
		Path path = Path.of(override);
		if (!Files.isExecutable(path)) {
			throw new IllegalStateException(OVERRIDE + " names '" + override
					+ "', which is not an executable file. Name a redis-server or valkey-server (6.2 or later)");
		}
		return path;
	}

	/** The name of the artifact's binary for a system, as the JVM names systems. */
	static String resource(String system, String architecture) {
		String name = system.toLowerCase(Locale.ROOT).replaceFirst("^mac.*", "darwin") + "/" + architecture;
		return switch (name) {
			case "linux/amd64", "linux/x86_64" -> "/redis-server-6.2.6-v5-linux-amd64";
			case "linux/aarch64", "linux/arm64" -> "/redis-server-6.2.7-linux-arm64";
			case "linux/i386", "linux/x86" -> "/redis-server-6.2.7-linux-386";
			case "darwin/x86_64", "darwin/amd64" -> "/redis-server-6.2.6-v5-darwin-amd64";
			case "darwin/aarch64", "darwin/arm64" -> "/redis-server-6.2.6-v5-darwin-arm64";
			default -> throw new IllegalStateException("There is no Redis binary for " + system + " on " + architecture
					+ ". Install Redis or Valkey (6.2 or later) and name its server in " + OVERRIDE
					+ ", for example /usr/bin/redis-server");
		};
	}

	private static final class Extracted {

		static final Path PATH = extract(resource(System.getProperty("os.name"), System.getProperty("os.arch")));

		private static Path extract(String resource) {
			Path directory = Directories.create();
			Runtime.getRuntime().addShutdownHook(new Thread(() -> Directories.delete(directory)));
			Path binary = directory.resolve("redis-server");
			try (InputStream content = RedisBinary.class.getResourceAsStream(resource)) {
				if (content == null) {
					throw new IllegalStateException(
							"embedded-redis does not contain " + resource + ": correct RedisBinary");
				}
				Files.copy(content, binary);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
			if (!binary.toFile().setExecutable(true)) {
				throw new IllegalStateException(binary + " cannot be made executable");
			}
			return binary;
		}

	}

}
