package io.tierlimit.replay;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.PriorityQueue;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

/**
 * The requests of one file in the order of their times. Servers log a request when it is
 * complete, so lines are slightly out of order: they are sorted within a window.
 */
final class LogStream implements Closeable {

	/**
	 * The length of the window. Lines that are further out of order remain out of order.
	 */
	private static final long WINDOW = Duration.ofMinutes(1).toMillis() * 1000;

	/** The maximum number of characters in the window. */
	static final int MAX_WINDOW = 16 * 1024 * 1024;

	private final LogLines lines;

	private final String name;

	private final LineParser common = new CommonLineParser();

	private final LineParser json;

	private final LogProblems problems;

	private final PriorityQueue<Entry> window = new PriorityQueue<>();

	private long newest = Long.MIN_VALUE;

	private long kept;

	private long line;

	private boolean atEnd;

	LogStream(String name, InputStream input, LogFields fields, LogProblems problems, AtomicLong read)
			throws IOException {
		this.name = name;
		this.json = new JsonLineParser(fields);
		this.problems = problems;
		this.lines = new LogLines(input, read);
	}

	/** The next request, or {@code null} after the last request. */
	@Nullable LoggedRequest next() throws IOException {
		while (!this.atEnd && !isComplete()) {
			readLine();
		}
		Entry first = this.window.poll();
		if (first == null) {
			return null;
		}
		this.kept -= first.length();
		return first.request();
	}

	private void add(Entry entry) {
		this.window.add(entry);
		this.kept += entry.length();
		this.newest = Math.max(this.newest, entry.time());
	}

	/**
	 * Whether the earliest entry is final: no line that is read later is sorted before
	 * it.
	 */
	private boolean isComplete() {
		Entry first = this.window.peek();
		return first != null && (this.kept > MAX_WINDOW || this.newest > first.time() + WINDOW);
	}

	private void readLine() throws IOException {
		this.line++;
		String text = "";
		try {
			text = this.lines.next();
			if (text == null) {
				this.atEnd = true;
			}
			else if (!text.isBlank()) {
				LoggedRequest request = (text.charAt(0) == '{') ? this.json.parse(text) : this.common.parse(text);
				this.problems.countReadable();
				add(new Entry(ReplayClock.ticks(request.time()), this.line, text.length(), request));
			}
		}
		catch (InvalidLineException ex) {
			this.problems.add(this.name, this.line, ex.getMessage(), text);
		}
	}

	@Override
	public void close() throws IOException {
		this.lines.close();
	}

	/**
	 * A request in the window.
	 *
	 * @param time its time in microseconds
	 * @param line the number of its line, which determines the order of equal times
	 * @param length the length of the line
	 * @param request the request
	 */
	private record Entry(long time, long line, int length, LoggedRequest request) implements Comparable<Entry> {

		@Override
		public int compareTo(Entry other) {
			return (this.time != other.time) ? Long.compare(this.time, other.time)
					: Long.compare(this.line, other.line);
		}

	}

}
