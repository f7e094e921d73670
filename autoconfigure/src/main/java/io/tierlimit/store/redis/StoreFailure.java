package io.tierlimit.store.redis;

import org.jspecify.annotations.Nullable;

/**
 * Redis can't be reached, or doesn't do what it is asked. Never leaves this package.
 */
class StoreFailure extends Exception {

	private static final long serialVersionUID = 1L;

	StoreFailure(String message, @Nullable Throwable cause) {
		// Where it was noticed tells nothing.
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
		return message.startsWith("TRYAGAIN") ? new SlotMoving(message, failure) : new StoreFailure(message, failure);
	}

	/**
	 * The server doesn't know the script by its digest: nothing was done.
	 */
	static final class ScriptUnknown extends StoreFailure {

		private static final long serialVersionUID = 1L;

		private ScriptUnknown(String message, Throwable cause) {
			super(message, cause);
		}

	}

	/**
	 * The keys of a call are on two nodes at present, because their slot is on its way
	 * from one to the other: nothing was done, and each key alone can be reached.
	 */
	static final class SlotMoving extends StoreFailure {

		private static final long serialVersionUID = 1L;

		private SlotMoving(String message, Throwable cause) {
			super(message, cause);
		}

	}

	/**
	 * A server is not called at present, because it has failed too often, or too many
	 * calls are under way that nobody waits for.
	 */
	static final class Away extends StoreFailure {

		private static final long serialVersionUID = 1L;

		Away() {
			this("it failed too often and is not called at present");
		}

		private Away(String message) {
			super(message, null);
		}

		static Away busy() {
			return new Away("it does not answer, and no thread is idle for more calls that nobody waits for");
		}

	}

	/**
	 * Nobody waits for an answer any more, which says nothing about Redis.
	 */
	static final class NotAwaited extends StoreFailure {

		private static final long serialVersionUID = 1L;

		NotAwaited(String message, @Nullable Throwable cause) {
			super(message, cause);
		}

		static NotAwaited interrupted(@Nullable InterruptedException cause) {
			return new NotAwaited("the thread was interrupted", cause);
		}

	}

}
