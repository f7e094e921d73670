package io.tierlimit.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * Temporary directories of servers.
 */
public final class Directories {

	private Directories() {
	}

	public static Path create() {
		try {
			return Files.createTempDirectory("tierlimit-");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	public static void delete(Path directory) {
		if (!Files.exists(directory)) {
			return;
		}
		try {
			Files.walkFileTree(directory, new SimpleFileVisitor<>() {

				@Override
				public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
					Files.delete(file);
					return FileVisitResult.CONTINUE;
				}

				@Override
				public FileVisitResult postVisitDirectory(Path visited, IOException failure) throws IOException {
					Files.delete(visited);
					return FileVisitResult.CONTINUE;
				}

			});
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
