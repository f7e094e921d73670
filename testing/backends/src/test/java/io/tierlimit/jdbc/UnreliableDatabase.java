package io.tierlimit.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * A database that counts attempts to connect. A test can make it fail or block.
 */
public final class UnreliableDatabase extends DelegatingDataSource {

	private final AtomicInteger attempts = new AtomicInteger();

	private volatile boolean down;

	private volatile CountDownLatch released = new CountDownLatch(0);

	/**
	 * Creates a database that is up.
	 * @param database creates the connections
	 */
	public UnreliableDatabase(DataSource database) {
		super(database);
	}

	public AtomicInteger attempts() {
		return this.attempts;
	}

	public void setDown(boolean down) {
		this.down = down;
	}

	/** From now on, each attempt blocks until its thread is interrupted. */
	public void block() {
		this.released = new CountDownLatch(1);
	}

	@Override
	public Connection getConnection() throws SQLException {
		this.attempts.incrementAndGet();
		if (this.down) {
			throw new SQLException("down");
		}
		try {
			this.released.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new SQLException(ex);
		}
		return super.getConnection();
	}

}
