package io.tierlimit.store.redis;

import org.jspecify.annotations.Nullable;

/**
 * Reports that Redis cannot be reached, or does not execute a call. This exception never
 * leaves the package.
 */
@SuppressWarnings("serial")
class StoreFailure extends Exception {

	/**
	 * Lettuce reports this instead of the cause if a handshake fails so early that its
	 * handler is already removed from the connection.
	 */
	private static final String HANDSHAKE_FAILED_EARLY = "RedisHandshakeHandler not registered";

	StoreFailure(String message, @Nullable Throwable cause) {
		// A stack trace would not help, because it only shows where the failure was
		// detected.
		super(message, cause, false, false);
	}

	static StoreFailure of(Throwable failure) {
		Throwable root = failure;
		while (root.getCause() != null) {
			root = root.getCause();
		}
		String message = (root.getMessage() != null) ? root.getMessage() : root.getClass().getName();
		if (message.startsWith("NOSCRIPT")) {
			return new ScriptUnknown(message, failure);
		}
		if (message.equals(HANDSHAKE_FAILED_EARLY)) {
			message = "the server rejected the connection during its handshake: check the user, the password and TLS";
		}
		return message.startsWith("TRYAGAIN") ? new SlotMoving(message, failure) : new StoreFailure(message, failure);
	}

	/**
	 * The server does not have a script with this digest, so nothing was executed.
	 */
	static final class ScriptUnknown extends StoreFailure {

		private ScriptUnknown(String message, Throwable cause) {
			super(message, cause);
		}

	}

	/**
	 * The keys of a call are on two nodes at present, because their slot is moving from
	 * one to the other: nothing was executed, and each key can be reached alone.
	 */
	static final class SlotMoving extends StoreFailure {

		private SlotMoving(String message, Throwable cause) {
			super(message, cause);
		}

	}

	/**
	 * A server is not called at present, because it has failed too often, or because too
	 * many unawaited calls are in progress.
	 */
	static final class CallSkipped extends StoreFailure {

		CallSkipped(String message) {
			super(message, null);
		}

	}

	/**
	 * The request no longer waits for a reply. This is not a failure of Redis.
	 */
	static final class NotAwaited extends StoreFailure {

		NotAwaited(String message, @Nullable Throwable cause) {
			super(message, cause);
		}

		static NotAwaited interrupted(@Nullable InterruptedException cause) {
			return new NotAwaited("the thread was interrupted", cause);
		}

	}

}
