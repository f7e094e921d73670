package io.tierlimit.database;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.stream.Stream;

import io.tierlimit.redis.Directories;

/**
 * Files of a server that all JVMs of a build share. The first JVM unpacks the files below
 * the {@code target} directory of this module.
 */
final class PreparedServer {

	/** The maximum time that a server takes to start on a busy machine. */
	static final Duration PATIENCE = Duration.ofMinutes(3);

	private PreparedServer() {
	}

	/**
	 * The directory with the files of a server.
	 * @param name the name of the server
	 * @param preparation writes the files into a directory, unless they exist
	 */
	static synchronized Path directory(String name, Preparation preparation) {
		try {
			Path parent = Files.createDirectories(target().resolve("servers"));
			Path prepared = parent.resolve(name);
			try (FileChannel lock = FileChannel.open(parent.resolve(name + ".lock"), StandardOpenOption.CREATE,
					StandardOpenOption.WRITE)) {
				lock.lock();
				if (!Files.exists(prepared)) {
					Path partial = parent.resolve(name + ".partial");
					Directories.delete(partial);
					preparation.write(Files.createDirectory(partial));
					Files.move(partial, prepared);
				}
			}
			return prepared;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Copies a directory with all of its files and their permissions. */
	static void copy(Path from, Path to) throws IOException {
		try (Stream<Path> paths = Files.walk(from)) {
			for (Path path : paths.toList()) {
				Files.copy(path, to.resolve(from.relativize(path)), StandardCopyOption.COPY_ATTRIBUTES);
			}
		}
	}

	/** The directory that contains the classes of this module, or its jar. */
	private static Path target() {
		try {
			return Path.of(PreparedServer.class.getProtectionDomain().getCodeSource().getLocation().toURI())
				.resolveSibling("");
		}
		catch (URISyntaxException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Writes the files of a server. */
	@FunctionalInterface
	interface Preparation {

		void write(Path directory) throws IOException;

	}

}
