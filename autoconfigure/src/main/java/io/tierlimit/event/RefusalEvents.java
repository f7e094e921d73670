package io.tierlimit.event;

import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Consumer;

import io.tierlimit.RuleDecision;
import io.tierlimit.Verdict;
import io.tierlimit.spi.BucketKey;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.Endpoint;
import io.tierlimit.spi.VerdictListener;

/**
 * Makes events of refusals, as far as the throttle admits.
 */
public final class RefusalEvents implements VerdictListener {

	private final RefusalThrottle throttle;

	private final InstantSource clock;

	private final List<Consumer<RateLimitRefusedEvent>> receivers;

	/**
	 * Creates events.
	 * @param throttle says which refusals are told
	 * @param clock says when a refusal was
	 * @param receivers are told
	 */
	public RefusalEvents(RefusalThrottle throttle, InstantSource clock,
			List<Consumer<RateLimitRefusedEvent>> receivers) {
		this.throttle = throttle;
		this.clock = clock;
		this.receivers = List.copyOf(receivers);
	}

	@Override
	public void decided(Verdict verdict, Caller caller) {
		if (this.receivers.isEmpty()) {
			return;
		}
		for (RuleDecision decision : verdict.decisions()) {
			if (!decision.decision().allowed()
					&& this.throttle.admits(new BucketKey(decision.rule().id(), decision.key()))) {
				RateLimitRefusedEvent event = event(decision, caller, this.clock.instant());
				this.receivers.forEach((receiver) -> receiver.accept(event));
			}
		}
	}

	private static RateLimitRefusedEvent event(RuleDecision refused, Caller caller, Instant now) {
		Endpoint endpoint = caller.endpoint();
		return new RateLimitRefusedEvent(refused.rule().id(), refused.key(), refused.plan(), refused.rule().isShadow(),
				refused.cost(), refused.decision().retryAfter(), caller.ip(), caller.user(),
				(endpoint != null) ? endpoint.toString() : null, now);
	}

}
