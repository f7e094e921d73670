package io.tierlimit.replay;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Counts lines, and keeps the first lines that cannot be read.
 */
final class LogProblems {

	private static final int EXAMPLES = 3;

	private final List<String> examples = new ArrayList<>();

	private long readable;

	private long unreadable;

	void countReadable() {
		this.readable++;
	}

	void add(String file, long line, @Nullable String reason, @Nullable String text) {
		this.unreadable++;
		if (this.examples.size() < EXAMPLES) {
			this.examples.add(Printable.of(file, 200) + ", line " + line + ": " + Printable.of(reason, 300)
					+ ((text == null || text.isEmpty()) ? "" : ": " + Printable.of(text, 120)));
		}
	}

	long readable() {
		return this.readable;
	}

	long unreadable() {
		return this.unreadable;
	}

	List<String> examples() {
		return List.copyOf(this.examples);
	}

}
