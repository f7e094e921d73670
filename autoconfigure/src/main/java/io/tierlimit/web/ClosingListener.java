package io.tierlimit.web;

import io.tierlimit.evaluation.Tab;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;

/**
 * Closes the tab of a request that was dispatched before its handler, when all is over.
 */
final class ClosingListener implements AsyncListener {

	private final Tab tab;

	ClosingListener(Tab tab) {
		this.tab = tab;
	}

	@Override
	public void onComplete(AsyncEvent event) {
		this.tab.close();
	}

	@Override
	public void onTimeout(AsyncEvent event) {
		// Is complete after that.
	}

	@Override
	public void onError(AsyncEvent event) {
		// Is complete after that.
	}

	@Override
	public void onStartAsync(AsyncEvent event) {
		// Each round has listeners of its own.
		event.getAsyncContext().addListener(this);
	}

}
