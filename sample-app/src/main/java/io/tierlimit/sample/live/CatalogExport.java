package io.tierlimit.sample.live;

import java.io.IOException;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Future;

import io.tierlimit.sample.catalog.Product;
import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.TaskScheduler;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;

/**
 * A streamed response with one row for each product. No thread waits for the time of the
 * next row.
 */
final class CatalogExport {

	/** The time between two rows, as if a slow database were read. */
	private static final Duration PAUSE = Duration.ofSeconds(2);

	/** The server ends an export that takes longer. */
	private static final Duration LONGEST = Duration.ofMinutes(1);

	private final ResponseBodyEmitter response = new ResponseBodyEmitter(LONGEST.toMillis());

	private final Iterator<Product> products;

	private final TaskScheduler scheduler;

	/** Writes the next row; {@code null} before the first row. */
	private volatile @Nullable Future<?> next;

	CatalogExport(List<Product> products, TaskScheduler scheduler) {
		this.products = products.iterator();
		this.scheduler = scheduler;
	}

	/** Writes the first line, and returns the response to which the rows are written. */
	ResponseBodyEmitter start() {
		this.response.onCompletion(this::cancel);
		write("id,name,price");
		return this.response;
	}

	private void cancel() {
		Future<?> pending = this.next;
		if (pending != null) {
			pending.cancel(false);
		}
	}

	private void writeProduct() {
		Product product = this.products.next();
		write(product.id() + "," + product.name() + "," + product.price());
	}

	private void write(String line) {
		try {
			this.response.send(line + "\n");
		}
		catch (IOException | IllegalStateException ex) {
			// The client has closed the connection, or the time is over. The server ends
			// the response.
			return;
		}
		if (this.products.hasNext()) {
			this.next = this.scheduler.schedule(this::writeProduct, this.scheduler.getClock().instant().plus(PAUSE));
		}
		else {
			this.response.complete();
		}
	}

}
