package io.tierlimit.store;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Several listeners. None that fails keeps the others from being told, or a request from
 * being decided.
 */
public final class StoreListeners implements StoreListener {

	private static final Log logger = LogFactory.getLog(StoreListeners.class);

	private final List<StoreListener> listeners;

	private final Set<Class<?>> failed = ConcurrentHashMap.newKeySet();

	/**
	 * Creates listeners.
	 * @param listeners are told in this order
	 */
	public StoreListeners(List<StoreListener> listeners) {
		this.listeners = List.copyOf(listeners);
	}

	@Override
	public void called(CallOutcome outcome, long nanos) {
		tell((listener) -> listener.called(outcome, nanos));
	}

	@Override
	public void refusedFromMemory() {
		tell(StoreListener::refusedFromMemory);
	}

	private void tell(Consumer<StoreListener> news) {
		for (StoreListener listener : this.listeners) {
			try {
				news.accept(listener);
			}
			catch (Throwable ex) {
				if (this.failed.add(listener.getClass())) {
					logger.warn(listener.getClass().getName()
							+ " failed when it was notified of a call. Further failures of this class are not logged.",
							ex);
				}
			}
		}
	}

}
