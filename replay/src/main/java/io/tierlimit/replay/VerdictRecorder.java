package io.tierlimit.replay;

import io.tierlimit.Verdict;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.VerdictListener;
import org.jspecify.annotations.Nullable;

/**
 * Records the request that is replayed, and its verdict.
 */
final class VerdictRecorder implements VerdictListener {

	private @Nullable LoggedRequest request;

	private Verdict verdict = Verdict.UNLIMITED;

	void begin(LoggedRequest request) {
		this.request = request;
		this.verdict = Verdict.UNLIMITED;
	}

	@Override
	public void onVerdict(Verdict verdict, Caller caller) {
		this.verdict = verdict;
	}

	/**
	 * The verdict on the request. If no rule applies, the verdict on a request without
	 * rules.
	 */
	Verdict last() {
		return this.verdict;
	}

	/** The status of the request, or {@code null} if it was not logged. */
	@Nullable Integer status() {
		LoggedRequest current = this.request;
		return (current != null) ? current.status() : null;
	}

	/** A fact of the request, or {@code null} if it was not logged. */
	@Nullable String fact(String name) {
		LoggedRequest current = this.request;
		return (current != null) ? current.facts().get(name) : null;
	}

}
