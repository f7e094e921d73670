package io.tierlimit.web;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.tierlimit.key.ExpressionFact;
import io.tierlimit.key.FinishedRequest;
import io.tierlimit.key.RuleKey;
import io.tierlimit.limit.Limit;
import io.tierlimit.option.CostSettlement;
import io.tierlimit.option.InFlight;
import io.tierlimit.option.RuleOption;
import io.tierlimit.option.RuleOptionFactory;
import io.tierlimit.option.RuleSetOption;
import io.tierlimit.rule.ExchangeFacts;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.RequestOutcome.Event;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import org.jspecify.annotations.Nullable;

/**
 * An option of every rule that records the outcomes of requests, and reads their facts at
 * their end.
 */
final class RecordedOutcomes implements RuleOptionFactory {

	/** The header whose value is recorded. */
	static final String HEADER = "X-Units";

	private final List<Recorded> all = new CopyOnWriteArrayList<>();

	/** The outcomes of all ended requests, one for each rule. */
	List<Recorded> all() {
		return this.all;
	}

	@Override
	public RuleSetOption of(RuleSet rules) {
		return this::of;
	}

	private RuleOption of(Rule rule, RuleKey key) {
		return new RuleOption() {

			@Override
			public boolean followsRequests() {
				return true;
			}

			@Override
			public void begin(String caller, List<InFlight> kept) {
				kept.add(new Request());
			}

			/** Rules that hold permits also need the size of the response. */
			@Override
			public @Nullable CostSettlement settlement() {
				return rule.limits().holdPermits() ? new ReadingResponses() : null;
			}

		};
	}

	/**
	 * The outcome of a request, with copies of its facts.
	 *
	 * @param header the value of the header {@value #HEADER}
	 */
	record Recorded(RequestOutcome outcome, @Nullable String header, @Nullable Long duration,
			@Nullable Long requestBytes, @Nullable Long responseBytes) {

		static Recorded of(RequestOutcome outcome) {
			ExchangeFacts exchange = outcome.exchange();
			return new Recorded(outcome, exchange.responseHeader(HEADER), exchange.duration(), exchange.requestBytes(),
					exchange.responseBytes());
		}

		boolean endedEarly() {
			return this.outcome.has(Event.ENDED_EARLY);
		}

	}

	private final class Request implements InFlight {

		@Override
		public void continueAs(String caller) {
		}

		@Override
		public void end(RequestOutcome outcome) {
			RecordedOutcomes.this.all.add(Recorded.of(outcome));
		}

		@Override
		public void cancel() {
		}

		@Override
		public InFlight again() {
			return this;
		}

		@Override
		public boolean isLike(InFlight other) {
			return other instanceof Request;
		}

	}

	private static final class ReadingResponses implements CostSettlement {

		@Override
		public boolean reads(ExpressionFact fact) {
			return fact == ExpressionFact.RESPONSE_BYTES;
		}

		@Override
		public @Nullable Long actualCost(FinishedRequest request) {
			return null;
		}

		@Override
		public long maxDebt(Limit limit) {
			return 0;
		}

		@Override
		public void dropped(long permits) {
		}

		@Override
		public void settled(long estimate, long actual) {
		}

		@Override
		public void unknown() {
		}

	}

}
