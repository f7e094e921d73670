package io.tierlimit.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.springframework.util.FileSystemUtils;

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
		try {
			FileSystemUtils.deleteRecursively(directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
