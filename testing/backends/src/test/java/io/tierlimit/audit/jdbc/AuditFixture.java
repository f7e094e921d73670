package io.tierlimit.audit.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import javax.sql.DataSource;

import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.evaluation.TestDecision;
import io.tierlimit.jdbc.JdbcDatabase;
import io.tierlimit.jdbc.SchemaInitialization;
import io.tierlimit.key.KeyHash;
import io.tierlimit.key.KeyHashing;
import io.tierlimit.key.SimpleCaller;
import io.tierlimit.rule.TestRules;
import io.tierlimit.store.SimulatedTicker;

/**
 * A queue of 10, and a writer with batches of 4, whose clocks a test advances.
 */
final class AuditFixture {

	private static final Instant START = Instant.parse("2030-01-02T03:04:05Z");

	private final SimulatedTicker ticker = new SimulatedTicker();

	private final AtomicReference<Instant> now = new AtomicReference<>(START);

	private final RejectionQueue queue;

	private final AuditWriter writer;

	private int rejections;

	AuditFixture(DataSource dataSource) {
		this(dataSource, TestAudit.options(), Duration.ofMinutes(1), SchemaInitialization.ALWAYS);
	}

	/** With other options than {@link TestAudit#options()}, and all rejections kept. */
	AuditFixture(DataSource dataSource, Duration interval, Duration stopLimit) {
		this(dataSource, new AuditOptions(false, true, 10, 4, interval, Duration.ZERO), stopLimit,
				SchemaInitialization.ALWAYS);
	}

	private AuditFixture(DataSource dataSource, AuditOptions options, Duration stopLimit,
			SchemaInitialization initialization) {
		this.queue = new RejectionQueue(options, this.now::get);
		this.writer = new AuditWriter(this.queue, new RejectionTable(new JdbcDatabase(dataSource, initialization),
				new KeyHash(KeyHashing.SENSITIVE, null)), options, this.ticker, this.now::get, stopLimit);
	}

	/** With a table that is only created now, so that a test can remove the table. */
	static AuditFixture withTable(DataSource dataSource) {
		new JdbcDatabase(dataSource, SchemaInitialization.ALWAYS).createTables("audit");
		return new AuditFixture(dataSource, TestAudit.options(), Duration.ofMinutes(1), SchemaInitialization.NEVER);
	}

	RejectionQueue queue() {
		return this.queue;
	}

	AuditWriter writer() {
		return this.writer;
	}

	/** Rejects requests on the buckets b1, b2 and so on. */
	void reject(int count) {
		for (int i = 0; i < count; i++) {
			reject("b" + ++this.rejections);
		}
	}

	void reject(String bucket) {
		this.queue.onVerdict(
				new Verdict(Outcome.REJECTED,
						List.of(TestDecision.rejected(TestRules.rule("search", 10)).onBucket(bucket))),
				SimpleCaller.at("192.0.2.1").as("ada").to("GET", "/search"));
	}

	void advance(Duration duration) {
		this.ticker.advance(duration);
		this.now.updateAndGet((before) -> before.plus(duration));
	}

	/** Runs one interval of the writer's thread. */
	void run() {
		this.writer.run();
	}

}
