package io.tierlimit.replay;

import java.io.IOException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import jakarta.servlet.ServletException;
import org.apache.catalina.AccessLog;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;

/**
 * Counts the requests that the server has completed, by its access log, which it writes
 * at the end. The client receives the response earlier, when the charges of the request
 * may not be settled yet.
 */
final class CompletedRequests extends ValveBase implements AccessLog {

	private static final int PATIENCE_SECONDS = 60;

	private final Semaphore completed = new Semaphore(0);

	CompletedRequests() {
		super(true);
	}

	/** Waits for the end of the next request. */
	void awaitNext() throws InterruptedException {
		if (!this.completed.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
			throw new IllegalStateException("The server has not completed the request");
		}
	}

	@Override
	public void invoke(Request request, Response response) throws IOException, ServletException {
		getNext().invoke(request, response);
	}

	@Override
	public void log(Request request, Response response, long time) {
		this.completed.release();
	}

	@Override
	public void setRequestAttributesEnabled(boolean enabled) {
		// This works only for logs that contain the address of the client.
	}

	@Override
	public boolean getRequestAttributesEnabled() {
		return false;
	}

}
