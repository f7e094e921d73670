package io.tierlimit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The sources of the published libraries.
 */
public final class MainSources {

	private static final Path LIBRARIES = Path.of("../libraries");

	private MainSources() {
	}

	/**
	 * The Java files of the libraries and of the auto-configuration.
	 * @return the files, sorted
	 */
	public static List<Path> files() {
		try (Stream<Path> modules = Files.list(LIBRARIES)) {
			return Stream.concat(modules, Stream.of(Path.of("../autoconfigure")))
				.map((module) -> module.resolve("src/main/java"))
				.filter(Files::isDirectory)
				.flatMap(MainSources::javaFiles)
				.sorted()
				.toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Stream<Path> javaFiles(Path directory) {
		try (Stream<Path> files = Files.walk(directory)) {
			return files.filter((file) -> file.toString().endsWith(".java")).toList().stream();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
