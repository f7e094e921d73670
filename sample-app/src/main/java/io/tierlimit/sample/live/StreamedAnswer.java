package io.tierlimit.sample.live;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;

import io.tierlimit.EstimatedCost;
import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.TaskScheduler;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * The answer of a simulated language model: a stream of server-sent events with one word
 * each. Each word is a token, which costs one permit. The last event has the number of
 * tokens. No thread waits for the time of the next word.
 */
final class StreamedAnswer {

	/** The time that the model needs for a word. */
	private static final Duration PAUSE = Duration.ofMillis(200);

	/** The server ends an answer that takes longer. */
	private static final Duration LONGEST = Duration.ofMinutes(1);

	private static final List<String> WORDS = List.of("A", "good", "espresso", "needs", "a", "good", "espresso",
			"cup.");

	private final SseEmitter response = new SseEmitter(LONGEST.toMillis());

	private final int length;

	private final EstimatedCost cost;

	private final TaskScheduler scheduler;

	private int tokens;

	/** Writes the next word; {@code null} before the first word. */
	private volatile @Nullable Future<?> next;

	/**
	 * Creates an answer.
	 * @param length the number of words, unless the answer ends early
	 */
	StreamedAnswer(int length, EstimatedCost cost, TaskScheduler scheduler) {
		this.length = length;
		this.cost = cost;
		this.scheduler = scheduler;
	}

	/** Writes the first word, and returns the response to which the words are written. */
	SseEmitter start() {
		this.response.onCompletion(this::cancel);
		writeNext();
		return this.response;
	}

	private void cancel() {
		Future<?> pending = this.next;
		if (pending != null) {
			pending.cancel(false);
		}
	}

	private void writeNext() {
		try {
			if (this.tokens < this.length) {
				writeWord();
			}
			else {
				end("complete");
			}
		}
		catch (IOException | IllegalStateException ex) {
			// The client has closed the connection, or the time is over. The server ends
			// the response, and the words so far are the cost.
		}
	}

	private void writeWord() throws IOException {
		String word = WORDS.get(this.tokens % WORDS.size());
		boolean reached = this.cost.meter(++this.tokens);
		this.response.send(word);
		if (reached) {
			end("stopped");
		}
		else {
			this.next = this.scheduler.schedule(this::writeNext, this.scheduler.getClock().instant().plus(PAUSE));
		}
	}

	private void end(String event) throws IOException {
		this.cost.settle(this.tokens);
		this.response.send(SseEmitter.event().name(event).data(this.tokens));
		this.response.complete();
	}

}
