package io.tierlimit.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The page with the results. Each table is a block between two comments,
 * {@code <!-- begin: NAME -->} and {@code <!-- end: NAME -->}, and a run replaces the
 * blocks that it has measured. Charts are drawn from the tables of the page, so that they
 * also show what an earlier run has measured.
 */
public final class Page {

	private static final Path IMAGES = Path.of("docs/images");

	private static final Path FILE = Path.of("docs/benchmarks.md");

	private Page() {
	}

	/**
	 * Replaces a block, and prints it.
	 * @param name the block
	 * @param lines the new text
	 * @throws IOException if the page cannot be read or written
	 * @throws IllegalStateException if the page has no such block
	 */
	public static void replace(String name, List<String> lines) throws IOException {
		String page = Files.readString(FILE);
		int begin = begin(page, name);
		String text = "\n\n" + String.join("\n", lines) + "\n\n";
		Files.writeString(FILE, page.substring(0, begin) + text + page.substring(end(page, name)));
		System.out.println(text);
	}

	/**
	 * Returns the rows of a block's table, without its head.
	 * @param name the block
	 * @return the cells of each row
	 * @throws IOException if the page cannot be read
	 * @throws IllegalStateException if the page has no such block
	 */
	public static List<List<String>> rows(String name) throws IOException {
		String page = Files.readString(FILE);
		List<List<String>> rows = new ArrayList<>();
		page.substring(begin(page, name), end(page, name))
			.lines()
			.filter((line) -> line.startsWith("| "))
			.skip(1)
			.forEach((line) -> rows.add(cells(line)));
		return rows;
	}

	private static List<String> cells(String line) {
		return Stream.of(line.substring(1, line.length() - 1).split("\\|", -1)).map(String::strip).toList();
	}

	/**
	 * Writes an image next to the page.
	 * @param name the name of the file
	 * @param chart the image
	 * @throws IOException if the file cannot be written
	 */
	public static void write(String name, BarChart chart) throws IOException {
		Files.writeString(IMAGES.resolve(name), chart.svg());
	}

	private static int begin(String page, String name) {
		String comment = "<!-- begin: " + name + " -->";
		return index(page, comment) + comment.length();
	}

	private static int end(String page, String name) {
		return index(page, "<!-- end: " + name + " -->");
	}

	private static int index(String page, String comment) {
		int index = page.indexOf(comment);
		if (index < 0) {
			throw new IllegalStateException(FILE + " must contain '" + comment + "'.");
		}
		return index;
	}

}
