package io.tierlimit.store.redis;

import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.AcquireResult.Source;

/**
 * The results of requests, by count.
 *
 * @param stored decided in Redis
 * @param alone decided by this instance alone
 * @param unavailable not decided by Redis or by this instance
 * @param admitted the admitted requests among all of them
 */
record Tally(int stored, int alone, int unavailable, int admitted) {

	static final Tally NONE = new Tally(0, 0, 0, 0);

	static Tally stored(int requests, int admitted) {
		return new Tally(requests, 0, 0, admitted);
	}

	static Tally alone(int requests, int admitted) {
		return new Tally(0, requests, 0, admitted);
	}

	static Tally of(AcquireResult result) {
		return new Tally(count(result.source() == Source.STORE), count(result.source() == Source.FALLBACK),
				count(result.source() == Source.NONE), count(result.admitted()));
	}

	private static int count(boolean happened) {
		return happened ? 1 : 0;
	}

	Tally and(Tally other) {
		return new Tally(this.stored + other.stored, this.alone + other.alone, this.unavailable + other.unavailable,
				this.admitted + other.admitted);
	}

	int requests() {
		return this.stored + this.alone + this.unavailable;
	}

}
