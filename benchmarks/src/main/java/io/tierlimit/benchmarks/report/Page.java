package io.tierlimit.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The page with all results, and the page of the documentation with a summary. Each table
 * is a block between two comments, {@code <!-- begin: NAME -->} and
 * {@code <!-- end: NAME -->}, and a run replaces the blocks that it has measured.
 * Summaries and charts are made from the page with all results, so that they also show
 * the results of earlier runs.
 */
public final class Page {

	private static final Path IMAGES = Path.of("docs/images");

	private static final Path RESULTS = Path.of("benchmarks/RESULTS.md");

	private static final Path SUMMARY = Path.of("docs/benchmarks.md");

	private Page() {
	}

	/**
	 * Replaces a block of the results, and prints it.
	 * @param name the block
	 * @param lines the new lines
	 * @throws IOException if the page cannot be read or written
	 * @throws IllegalStateException if the page has no such block
	 */
	public static void replace(String name, List<String> lines) throws IOException {
		System.out.println(replace(RESULTS, name, lines));
	}

	/**
	 * Replaces a block of the summary by a part of a table of the results: the last table
	 * of the block with the same name.
	 * @param name the block
	 * @param rows a regular expression of the first cells of the rows
	 * @param columns the columns, from 0
	 * @throws IOException if a page cannot be read or written
	 * @throws IllegalStateException if a page has no such block
	 */
	public static void summarize(String name, String rows, int... columns) throws IOException {
		List<String> block = block(name).lines().toList();
		List<String> table = new ArrayList<>();
		for (String line : block) {
			if (line.startsWith("| |")) {
				table.clear();
				table.add(selected(line, columns));
				table.add("|" + "---|".repeat(columns.length));
			}
			else if (line.startsWith("| ") && cells(line).get(0).matches(rows)) {
				table.add(selected(line, columns));
			}
		}
		replace(SUMMARY, name, table);
	}

	private static String selected(String line, int... columns) {
		List<String> cells = cells(line);
		return Arrays.stream(columns)
			.mapToObj(cells::get)
			.map((cell) -> cell.isEmpty() ? "" : cell + " ")
			.collect(Collectors.joining("| ", "| ", "|"));
	}

	private static String replace(Path file, String name, List<String> lines) throws IOException {
		String page = Files.readString(file);
		int begin = begin(page, name);
		String text = "\n\n" + String.join("\n", lines) + "\n\n";
		Files.writeString(file, page.substring(0, begin) + text + page.substring(end(page, name)));
		return text;
	}

	/**
	 * Returns the rows of a table of the results, without its head.
	 * @param name the block
	 * @return the cells of each row
	 * @throws IOException if the page cannot be read
	 * @throws IllegalStateException if the page has no such block
	 */
	public static List<List<String>> rows(String name) throws IOException {
		List<List<String>> rows = new ArrayList<>();
		block(name).lines().filter((line) -> line.startsWith("| ")).skip(1).forEach((line) -> rows.add(cells(line)));
		return rows;
	}

	private static String block(String name) throws IOException {
		String page = Files.readString(RESULTS);
		return page.substring(begin(page, name), end(page, name));
	}

	private static List<String> cells(String line) {
		return Stream.of(line.substring(1, line.length() - 1).split("\\|", -1)).map(String::strip).toList();
	}

	/**
	 * Writes an image of the documentation.
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
			throw new IllegalStateException("The page must contain '" + comment + "'.");
		}
		return index;
	}

}
