package io.tierlimit.event;

import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Consumer;

import io.tierlimit.RateLimitRejectedEvent;
import io.tierlimit.RuleDecision;
import io.tierlimit.Verdict;
import io.tierlimit.limit.Ban;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.Endpoint;
import io.tierlimit.spi.VerdictListener;
import io.tierlimit.store.BucketKey;

/**
 * Publishes events of rejections, as far as the throttle allows.
 */
public final class RejectionEvents implements VerdictListener {

	private final RejectionThrottle throttle;

	private final InstantSource clock;

	private final List<Consumer<RateLimitRejectedEvent>> receivers;

	/**
	 * Creates a publisher.
	 * @param throttle limits how many are published
	 * @param clock the time of rejections
	 * @param receivers receive the events
	 */
	public RejectionEvents(RejectionThrottle throttle, InstantSource clock,
			List<Consumer<RateLimitRejectedEvent>> receivers) {
		this.throttle = throttle;
		this.clock = clock;
		this.receivers = List.copyOf(receivers);
	}

	@Override
	public void onVerdict(Verdict verdict, Caller caller) {
		for (RuleDecision decision : verdict.decisions()) {
			if (!decision.decision().allowed() && this.throttle.admits(subject(decision))) {
				RateLimitRejectedEvent event = event(decision, caller, this.clock.instant());
				this.receivers.forEach((receiver) -> receiver.accept(event));
			}
		}
	}

	/** A ban starts after other rejections of the same bucket, which do not hide it. */
	private static BucketKey subject(RuleDecision rejection) {
		Ban ban = rejection.decision().ban();
		boolean starts = ban != null && ban.started();
		// No rule's id starts with a parenthesis.
		return new BucketKey(starts ? "(ban) " + rejection.rule() : rejection.rule(), rejection.key());
	}

	private static RateLimitRejectedEvent event(RuleDecision rejection, Caller caller, Instant now) {
		Endpoint endpoint = caller.endpoint();
		return new RateLimitRejectedEvent(rejection, caller.ip(), caller.user(),
				(endpoint != null) ? endpoint.toString() : null, now);
	}

}
