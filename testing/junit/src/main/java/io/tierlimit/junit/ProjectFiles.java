package io.tierlimit.junit;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The files that a build does not create. Other modules may be built at the same time.
 */
public final class ProjectFiles {

	private static final Set<String> OMITTED = Set.of("target", ".git", ".mvn", "node_modules");

	private ProjectFiles() {
	}

	/**
	 * Finds all files below a directory.
	 * @param directory the directory
	 * @return the files, in their order
	 * @throws IOException if a directory cannot be read
	 */
	public static List<Path> below(Path directory) throws IOException {
		List<Path> found = new ArrayList<>();
		Files.walkFileTree(directory, new SimpleFileVisitor<>() {

			@Override
			public FileVisitResult preVisitDirectory(Path visited, BasicFileAttributes attributes) {
				return OMITTED.contains(String.valueOf(visited.getFileName())) ? FileVisitResult.SKIP_SUBTREE
						: FileVisitResult.CONTINUE;
			}

			@Override
			public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
				found.add(file);
				return FileVisitResult.CONTINUE;
			}

		});
		return found.stream().sorted().toList();
	}

}
