package io.tierlimit.application;

import java.util.Random;

import io.tierlimit.store.BucketKey;

/**
 * A random request to one of several instances, and what is certain about it.
 */
final class SentRequest {

	private static final int REJECTED = 429;

	private final int port;

	private final String key;

	private final BucketKey own;

	private final RandomRequest request;

	/** The status of the response; 0 if there is none. */
	private volatile int status;

	private volatile boolean interrupted;

	SentRequest(int port, String key, String id, Random random) {
		this.port = port;
		this.key = key;
		this.own = new BucketKey("own", id);
		this.request = RandomRequest.create("k=" + key + "&id=" + id, random);
	}

	/** Sends the request. A request without a response was interrupted. */
	void send() {
		try {
			this.status = this.request.send(new RawHttp(this.port));
		}
		catch (IllegalStateException ex) {
			// The instance has crashed.
		}
		if (!hasResponse()) {
			interrupt();
		}
	}

	/** Records that a fault may prevent the settlement of the request. */
	void interrupt() {
		this.interrupted = true;
	}

	boolean isInterrupted() {
		return this.interrupted;
	}

	boolean hasResponse() {
		return this.status > 0;
	}

	boolean isRejected() {
		return this.status == REJECTED;
	}

	int port() {
		return this.port;
	}

	String key() {
		return this.key;
	}

	/** The bucket with the permit that only this request has in use. */
	BucketKey own() {
		return this.own;
	}

	/** The permits that the request has certainly consumed. */
	long least(String rule) {
		return this.interrupted ? 0 : most(rule);
	}

	/** The permits that the request may have consumed. */
	long most(String rule) {
		if (isRejected()) {
			return 0;
		}
		long cost = switch (rule) {
			case "tokens" -> this.request.tokens();
			case "metered" -> this.request.metered();
			default -> 1;
		};
		boolean estimated = this.interrupted && !rule.equals("rated");
		return estimated ? Math.max(cost, RandomRequest.ESTIMATE) : cost;
	}

	@Override
	public String toString() {
		return this.request + (this.interrupted ? ", interrupted, " : ", ") + this.status;
	}

}
