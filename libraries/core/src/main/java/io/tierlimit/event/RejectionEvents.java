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
 * Publishes events of rejections, if the throttle allows it.
 *
 * @param throttle limits how many events are published
 * @param clock returns the time of rejections
 * @param receivers receive the events
 */
public record RejectionEvents(RejectionThrottle throttle, InstantSource clock,
		List<Consumer<RateLimitRejectedEvent>> receivers) implements VerdictListener {

	/**
	 * Copies the receivers.
	 */
	public RejectionEvents {
		receivers = List.copyOf(receivers);
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

	/**
	 * The start of a ban has its own subject, so that earlier rejections of the same
	 * bucket do not suppress its event.
	 */
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
