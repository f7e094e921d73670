package io.tierlimit.actuate;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Predicate;

import io.tierlimit.evaluation.RuleDecision;
import io.tierlimit.evaluation.Verdict;
import io.tierlimit.evaluation.VerdictListener;
import io.tierlimit.key.Caller;

import org.jspecify.annotations.Nullable;

/**
 * Remembers what this instance decided last on each of some thousand buckets. Every
 * bucket has one place, which it loses to any other that has the same: so it takes one
 * write a decision and never grows.
 */
public final class LastDecisions implements VerdictListener {

	private static final int PLACES = 1 << 13;

	private final AtomicReferenceArray<@Nullable Last> places = new AtomicReferenceArray<>(PLACES);

	private final InstantSource clock;

	/**
	 * Creates an empty memory.
	 * @param clock says when a decision was made
	 */
	public LastDecisions(InstantSource clock) {
		this.clock = clock;
	}

	@Override
	public void decided(Verdict verdict, Caller caller) {
		if (!verdict.decisions().isEmpty()) {
			String user = caller.user();
			String ip = caller.ip();
			Instant now = this.clock.instant();
			for (RuleDecision decision : verdict.decisions()) {
				int place = place(decision);
				this.places.setRelease(place,
						new Last(decision, verdict.allowed(), userOf(decision, place, user, ip), ip, now));
			}
		}
	}

	/**
	 * Who asked. Of one who was refused before authentication it is who was authenticated
	 * before, from the same address on the same bucket.
	 */
	private @Nullable String userOf(RuleDecision decision, int place, @Nullable String user, @Nullable String ip) {
		if (user != null) {
			return user;
		}
		Last last = this.places.getAcquire(place);
		return (last != null && isSame(last.decision(), decision) && Objects.equals(last.ip(), ip)) ? last.user()
				: null;
	}

	/** What was decided last on a bucket, if it is remembered. */
	@Nullable Last of(RuleDecision bucket) {
		Last last = this.places.getAcquire(place(bucket));
		return (last != null && isSame(last.decision(), bucket)) ? last : null;
	}

	/** What was decided last on all buckets that are remembered and meet a condition. */
	List<Last> all(Predicate<Last> condition) {
		List<Last> found = new ArrayList<>();
		for (int i = 0; i < PLACES; i++) {
			Last last = this.places.getAcquire(i);
			if (last != null && condition.test(last)) {
				found.add(last);
			}
		}
		return found;
	}

	/** Whether two decisions are on the same bucket, wherever it was kept meanwhile. */
	static boolean isSame(RuleDecision one, RuleDecision other) {
		return one.rule().id().equals(other.rule().id()) && one.charge().key().key().equals(other.charge().key().key());
	}

	private static int place(RuleDecision decision) {
		int hash = 31 * decision.rule().id().hashCode() + decision.charge().key().key().hashCode();
		return (hash ^ (hash >>> 16)) & (PLACES - 1);
	}

	/**
	 * A decision of the past.
	 *
	 * @param decision what the bucket's rule said
	 * @param admitted whether the request could go on
	 * @param user who asked, or who had asked from there before, or {@code null}
	 * @param ip from where, or {@code null}
	 * @param at when
	 */
	record Last(RuleDecision decision, boolean admitted, @Nullable String user, @Nullable String ip, Instant at) {

	}

}
