package io.tierlimit.replay;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

/**
 * The requests of access logs, in the order of their times. The format of each line is
 * recognized: Common Log Format, Combined Log Format, or a JSON object. A file may be
 * compressed by gzip. Several files are merged by the times of their requests, so rotated
 * files and the files of several instances can be given in any order.
 * <p>
 * Servers log a request when it is complete, so lines are slightly out of order. They are
 * sorted within a window of one minute (or 16 million characters, if that is less). Not
 * thread-safe.
 */
public final class AccessLog implements Closeable {

	/** The number of requests that are searched for facts. */
	private static final int SAMPLE = 10_000;

	private final LogProblems problems = new LogProblems();

	private final AtomicLong read = new AtomicLong();

	private final List<LogStream> streams = new ArrayList<>();

	private final PriorityQueue<Head> heads = new PriorityQueue<>(
			Comparator.comparing((Head head) -> head.request().time()).thenComparingInt(Head::index));

	private final Deque<LoggedRequest> sample = new ArrayDeque<>();

	private final Set<String> facts = new LinkedHashSet<>();

	private Instant last = Instant.MIN;

	private long late;

	private AccessLog() {
	}

	/**
	 * Opens files.
	 * @param files the files
	 * @param fields the names of fields, for lines that are JSON objects
	 * @return the log, which the caller closes
	 * @throws IOException if a file cannot be read
	 */
	public static AccessLog open(List<Path> files, LogFields fields) throws IOException {
		AccessLog log = new AccessLog();
		try {
			for (Path file : files) {
				log.add(file.toString(), Files.newInputStream(file), fields);
			}
			log.start();
			return log;
		}
		catch (IOException | RuntimeException ex) {
			log.close();
			throw ex;
		}
	}

	/**
	 * Opens a stream.
	 * @param name the name of the stream in messages
	 * @param input the stream
	 * @param fields the names of fields, for lines that are JSON objects
	 * @return the log, which the caller closes
	 * @throws IOException if the stream cannot be read
	 */
	public static AccessLog open(String name, InputStream input, LogFields fields) throws IOException {
		AccessLog log = new AccessLog();
		log.add(name, input, fields);
		log.start();
		return log;
	}

	private void add(String name, InputStream input, LogFields fields) throws IOException {
		this.streams.add(new LogStream(name, input, fields, this.problems, this.read));
	}

	private void start() throws IOException {
		for (int i = 0; i < this.streams.size(); i++) {
			advance(i);
		}
		long length = 0;
		while (this.sample.size() < SAMPLE && length < LogStream.MAX_WINDOW) {
			LoggedRequest request = merge();
			if (request == null) {
				break;
			}
			this.sample.add(request);
			length += request.target().length();
			addFacts(request);
		}
	}

	private void addFacts(LoggedRequest request) {
		if (request.address() != null) {
			this.facts.add(LogFields.ADDRESS);
		}
		if (request.user() != null) {
			this.facts.add(LogFields.USER);
		}
		if (request.status() != null) {
			this.facts.add(LogFields.STATUS);
		}
		this.facts.addAll(request.facts().keySet());
	}

	private void advance(int stream) throws IOException {
		LoggedRequest request = this.streams.get(stream).next();
		if (request != null) {
			this.heads.add(new Head(request, stream));
		}
	}

	private @Nullable LoggedRequest merge() throws IOException {
		Head head = this.heads.poll();
		if (head == null) {
			return null;
		}
		advance(head.index());
		return head.request();
	}

	/**
	 * The next request.
	 * @return the request, or {@code null} after the last request
	 * @throws IOException if the log cannot be read further
	 */
	public @Nullable LoggedRequest next() throws IOException {
		LoggedRequest sampled = this.sample.poll();
		LoggedRequest request = (sampled != null) ? sampled : merge();
		if (request != null) {
			if (request.time().isBefore(this.last)) {
				this.late++;
			}
			else {
				this.last = request.time();
			}
		}
		return request;
	}

	/**
	 * The facts that at least one of the first 10,000 requests has.
	 * @return {@code address}, {@code user}, {@code status}, and names of
	 * {@link LoggedRequest#facts()}
	 */
	public Set<String> facts() {
		return Set.copyOf(this.facts);
	}

	/**
	 * The number of lines that contained a request.
	 * @return the number so far
	 */
	public long readable() {
		return this.problems.readable();
	}

	/**
	 * The number of lines that contained no request, or were longer than 64 KiB.
	 * @return the number so far
	 */
	public long unreadable() {
		return this.problems.unreadable();
	}

	/**
	 * The first lines that contained no request.
	 * @return for each line, the file, the line number, the reason, and the beginning of
	 * the line without control characters
	 */
	public List<String> unreadableExamples() {
		return this.problems.examples();
	}

	/**
	 * The number of requests that are out of order, because their lines were further out
	 * of order than the window.
	 * @return the number so far
	 */
	public long late() {
		return this.late;
	}

	/** The number of bytes that were read from all files so far. */
	long bytesRead() {
		return this.read.get();
	}

	@Override
	public void close() throws IOException {
		for (LogStream stream : this.streams) {
			stream.close();
		}
	}

	/**
	 * The next request of a stream.
	 *
	 * @param request the request
	 * @param index the index of the stream, which determines the order of equal times
	 */
	private record Head(LoggedRequest request, int index) {

	}

}
