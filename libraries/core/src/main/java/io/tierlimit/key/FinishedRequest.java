package io.tierlimit.key;

import io.tierlimit.rule.ExchangeFacts;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.spi.Caller;
import org.jspecify.annotations.Nullable;

/**
 * The caller of a request whose response is finished, with the facts of its end.
 */
public final class FinishedRequest extends DelegatingCaller {

	private final RequestOutcome outcome;

	private final @Nullable Long metered;

	/**
	 * Creates a finished request.
	 * @param caller the caller
	 * @param outcome the outcome of the request
	 * @param metered the last total that code has metered; {@code null} for none
	 */
	public FinishedRequest(Caller caller, RequestOutcome outcome, @Nullable Long metered) {
		super(caller);
		this.outcome = outcome;
		this.metered = metered;
	}

	/** Only the expressions of finished requests read their facts. */
	static FinishedRequest of(Caller caller) {
		if (caller instanceof FinishedRequest finished) {
			return finished;
		}
		throw new IllegalArgumentException("The request is not finished");
	}

	RequestOutcome outcome() {
		return this.outcome;
	}

	ExchangeFacts exchange() {
		return this.outcome.exchange();
	}

	@Nullable Long metered() {
		return this.metered;
	}

}
