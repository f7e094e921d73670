package io.tierlimit.autoconfigure;

import java.util.List;
import java.util.function.Consumer;

import io.tierlimit.logging.OnceLogger;
import io.tierlimit.store.StoreListener;

/**
 * Notifies several listeners. If a listener fails, the other listeners are still
 * notified, and the request is decided as usual.
 */
final class CompositeStoreListener implements StoreListener {

	private final List<StoreListener> listeners;

	private final OnceLogger failures = new OnceLogger(CompositeStoreListener.class);

	/**
	 * Creates a listener.
	 * @param listeners the listeners, in the order in which they are notified
	 */
	CompositeStoreListener(List<StoreListener> listeners) {
		this.listeners = List.copyOf(listeners);
	}

	@Override
	public void onCall(CallOutcome outcome, long nanos) {
		publish((listener) -> listener.onCall(outcome, nanos));
	}

	@Override
	public void onCachedRejection() {
		publish(StoreListener::onCachedRejection);
	}

	@Override
	public void onLostHolder(String rule) {
		publish((listener) -> listener.onLostHolder(rule));
	}

	private void publish(Consumer<StoreListener> event) {
		for (StoreListener listener : this.listeners) {
			try {
				event.accept(listener);
			}
			catch (Throwable ex) {
				this.failures.warn(listener.getClass(), listener.getClass().getName()
						+ " failed when it was notified of a call. Further such failures are not logged.", ex);
			}
		}
	}

}
