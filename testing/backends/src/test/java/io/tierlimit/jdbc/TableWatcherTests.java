package io.tierlimit.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import io.tierlimit.database.TestDatabase;
import io.tierlimit.junit.Poll;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class TableWatcherTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final Duration NEVER = Duration.ofDays(1);

	private final BlockingQueue<Thread> checks = new LinkedBlockingQueue<>();

	private @Nullable TableWatcher watcher;

	@AfterEach
	void stop() {
		if (this.watcher != null) {
			this.watcher.stop();
		}
	}

	@Test
	void threadChecksAtStartupAndAfterEachIntervalUntilItIsStopped() throws InterruptedException {
		for (TestDatabase kind : TestDatabase.values()) {
			TableWatcher started = start(dataSource(kind), Duration.ofMillis(1), true);
			Thread thread = awaitCheck();
			assertThat(thread.getName()).isEqualTo("tierlimit-tables");
			assertThat(thread.isDaemon()).isTrue();
			for (int i = 0; i < 5; i++) {
				awaitCheck();
			}
			assertThat(started.isRunning()).isTrue();
			stop();
			assertThat(thread.isAlive()).isFalse();
			assertThat(started.isRunning()).isFalse();
		}
	}

	@Test
	void failedCheckDoesNotEndTheThread(CapturedOutput output) throws InterruptedException {
		AtomicInteger failures = new AtomicInteger();
		start(dataSource(TestDatabase.H2), Duration.ofMillis(1), true, () -> {
			if (failures.incrementAndGet() < 3) {
				throw new IllegalStateException("failed");
			}
			this.checks.add(Thread.currentThread());
		});
		awaitCheck();
		assertThat(output).contains("Tables of Tierlimit were not checked for changes");
	}

	@Test
	void notificationOfPostgreSqlStartsACheck() throws InterruptedException {
		DataSource dataSource = dataSource(TestDatabase.POSTGRESQL);
		start(dataSource, NEVER, true);
		awaitCheck();
		for (int i = 0; i < 3; i++) {
			new JdbcTemplate(dataSource).execute("NOTIFY tierlimit, 'rules'");
			awaitCheck();
		}
		new JdbcTemplate(dataSource).execute("NOTIFY other");
		assertThat(this.checks).isEmpty();
		stop();
		start(dataSource, NEVER, false);
		awaitCheck();
		assertThat(listeners(dataSource)).as("switched off").isEmpty();
	}

	/** A change after startup and before the first notification must not be missed. */
	@Test
	void connectionListensBeforeTheFirstCheck() throws InterruptedException {
		DataSource dataSource = dataSource(TestDatabase.POSTGRESQL);
		BlockingQueue<List<Integer>> listeners = new LinkedBlockingQueue<>();
		start(dataSource, NEVER, true, () -> listeners.add(listeners(dataSource)));
		assertThat(listeners.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).hasSize(1);
	}

	@Test
	void brokenConnectionIsCheckedForAndReplaced(CapturedOutput output) throws InterruptedException {
		UnreliableDatabase dataSource = new UnreliableDatabase(dataSource(TestDatabase.POSTGRESQL));
		CountDownLatch broken = new CountDownLatch(1);
		start(dataSource, Duration.ofMillis(1), true, () -> {
			this.checks.add(Thread.currentThread());
			try {
				broken.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		});
		awaitCheck();
		new JdbcTemplate(dataSource).queryForList("SELECT pg_terminate_backend(?)", listeners(dataSource).get(0));
		int before = dataSource.attempts().get();
		broken.countDown();
		Poll.until(PATIENCE, () -> dataSource.attempts().get() > before, () -> "not replaced");
		assertThat(output).containsOnlyOnce("No notifications of the database are received: ");
	}

	@Test
	void connectionThatCannotBeOpenedDoesNotPreventChecks(CapturedOutput output) throws InterruptedException {
		UnreliableDatabase database = new UnreliableDatabase(dataSource(TestDatabase.POSTGRESQL));
		database.setDown(true);
		start(database, Duration.ofMillis(1), true);
		for (int i = 0; i < 10; i++) {
			awaitCheck();
		}
		assertThat(output).containsOnlyOnce("No notifications of the database are received: ").contains("down");
	}

	/** Each further attempt would uselessly occupy a connection. */
	@Test
	void connectionsOfAnotherDriverAreAskedOnce() throws InterruptedException {
		AtomicInteger questions = new AtomicInteger();
		DataSource dataSource = JdbcProxies.intercepted(dataSource(TestDatabase.POSTGRESQL), (method) -> {
			if (method.equals("isWrapperFor")) {
				questions.incrementAndGet();
				return false;
			}
			return null;
		});
		start(dataSource, Duration.ofMillis(1), true);
		for (int i = 0; i < 5; i++) {
			awaitCheck();
		}
		assertThat(questions).hasValue(1);
	}

	/**
	 * Otherwise the pool would give the listening connection to another thread, and its
	 * notifications would fill the memory.
	 */
	@Test
	void returnedConnectionDoesNotListen() throws InterruptedException {
		SingleConnectionDataSource pool = new SingleConnectionDataSource(TestDatabase.POSTGRESQL.create(), true);
		try {
			start(pool, NEVER, true);
			awaitCheck();
			JdbcTemplate template = new JdbcTemplate(pool);
			stop();
			assertThat(template.queryForList("SELECT pg_listening_channels()")).isEmpty();
		}
		finally {
			pool.destroy();
		}
	}

	private TableWatcher start(DataSource dataSource, Duration interval, boolean listens) {
		return start(dataSource, interval, listens, () -> this.checks.add(Thread.currentThread()));
	}

	private TableWatcher start(DataSource dataSource, Duration interval, boolean listens, Runnable check) {
		this.checks.clear();
		TableWatcher started = new TableWatcher(new JdbcDatabase(dataSource, SchemaInitialization.NEVER), interval,
				listens, check);
		this.watcher = started;
		started.start();
		return started;
	}

	private Thread awaitCheck() throws InterruptedException {
		Thread thread = this.checks.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		assertThat(thread).as("check").isNotNull();
		return thread;
	}

	/** The process ids of connections whose last statement was LISTEN. */
	private static List<Integer> listeners(DataSource dataSource) {
		return new JdbcTemplate(dataSource)
			.queryForList("SELECT pid FROM pg_stat_activity WHERE datname = current_database() "
					+ "AND query = 'LISTEN tierlimit'", Integer.class);
	}

	private static DataSource dataSource(TestDatabase kind) {
		return new DriverManagerDataSource(kind.create());
	}

}
