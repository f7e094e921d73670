package io.tierlimit.application;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.micrometer.core.instrument.MeterRegistry;
import io.tierlimit.application.AuditedApplication.BlockableDatabase;
import io.tierlimit.audit.jdbc.AuditOptions;
import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.database.PostgreSql;
import io.tierlimit.database.TestDatabase;
import io.tierlimit.junit.Poll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The table of rejections, in an application that serves requests.
 */
@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class AuditTests {

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	private RunningApplication application;

	private JdbcTemplate table;

	@Test
	void rejectedRequestIsARow() {
		start(TestDatabase.POSTGRESQL.create(), "tierlimit.rules.orders.rate=1/d",
				"tierlimit.rules.orders.scope=user,endpoint", "tierlimit.audit.jdbc.identities=true",
				"test.interval=1h");
		this.application.getAs("alice", "/orders/1");
		this.application.getAs("alice", "/orders/2");
		this.application.close();
		assertThat(rows()).as("written at the end").hasSize(1);
		Map<String, Object> row = rows().get(0);
		assertThat(row).containsEntry("rule_id", "orders")
			.containsEntry("bucket_key", "GET /orders/{id}|alice")
			.containsEntry("user_name", "alice")
			.containsEntry("address", "127.0.0.1")
			.containsEntry("endpoint", "GET /orders/{id}")
			.containsEntry("cost", 1L)
			.containsEntry("remaining", 0L)
			.containsEntry("retry_after_ms", 86_400_000L);
	}

	@Test
	void neitherThePathNorIdentitiesAreStoredByDefault() {
		start(TestDatabase.H2.create(), "tierlimit.rules.all.rate=1/d");
		this.application.getAs("alice", "/reset-password/the-token");
		this.application.getAs("alice", "/reset-password/the-token");
		awaitRows(1);
		assertThat(rows().get(0)).containsEntry("rule_id", "all")
			.containsEntry("endpoint", null)
			.containsEntry("address", null)
			.containsEntry("user_name", null);
		assertThat(rows().toString()).doesNotContain("the-token", "alice");
	}

	/** The threads of requests do not call the database. */
	@Test
	void blockedDatabaseDelaysNoRequest() {
		start(TestDatabase.H2.create(), "tierlimit.rules.all.rate=1/d", "test.queue-capacity=20");
		BlockableDatabase database = this.application.bean(BlockableDatabase.class);
		database.block();
		assertThat(this.application.get("/orders/1").status()).isEqualTo(200);
		assertThat(this.application.get("/orders/1").status()).isEqualTo(429);
		Poll.until(() -> !database.threads().isEmpty(), () -> "nothing is written");
		for (int i = 0; i < 29; i++) {
			assertThat(this.application.get("/orders/1").status()).isEqualTo(429);
		}
		awaitDropped(10);
		assertThat(database.threads()).containsExactly("tierlimit-audit");
		database.release();
		awaitRows(20);
	}

	@Test
	void stoppedPostgreSqlChangesNoResponseAndTheRowsFollow(CapturedOutput output) {
		start(TestDatabase.POSTGRESQL.create(), "tierlimit.rules.all.rate=2/d");
		assertThat(this.application.get("/orders/1").status()).isEqualTo(200);
		PostgreSql.server().stop();
		try {
			assertThat(this.application.get("/orders/1").status()).isEqualTo(200);
			for (int i = 0; i < 5; i++) {
				assertThat(this.application.get("/orders/1").status()).isEqualTo(429);
			}
			Poll.until(() -> output.getOut().contains("Rejections cannot be written"), output::getOut);
		}
		finally {
			PostgreSql.server().start();
		}
		this.application.clock().advance(Duration.ofSeconds(1));
		awaitRows(5);
		assertThat(dropped()).isZero();
	}

	@Test
	void applicationStartsWithoutItsDatabaseAndTheRowsFollow(CapturedOutput output) {
		String url = TestDatabase.POSTGRESQL.create();
		PostgreSql.server().stop();
		try {
			start(url, "tierlimit.rules.all.rate=1/d");
			this.application.get("/orders/1");
			assertThat(this.application.get("/orders/1").status()).isEqualTo(429);
			Poll.until(() -> output.getOut().contains("Rejections cannot be written"), output::getOut);
		}
		finally {
			PostgreSql.server().start();
		}
		this.application.clock().advance(Duration.ofSeconds(1));
		awaitRows(1);
	}

	private void start(String url, String... properties) {
		String[] all = { "test.database=" + url, "tierlimit.audit.jdbc.enabled=true",
				"tierlimit.jdbc.initialize-schema=always" };
		this.application = applications.startOwn(HastyAudit.class, all, properties);
		this.table = new JdbcTemplate(new DriverManagerDataSource(url));
	}

	private List<Map<String, Object>> rows() {
		return AuditedApplication.rows(this.table, "tierlimit_rejection");
	}

	private void awaitRows(int count) {
		Poll.until(() -> rows().size() == count, () -> count + " rows");
	}

	private double dropped() {
		return this.application.bean(MeterRegistry.class).get("tierlimit.audit.dropped").functionCounter().count();
	}

	private void awaitDropped(int count) {
		Poll.until(() -> dropped() == count, () -> count + " dropped");
	}

	/**
	 * Writes a batch every millisecond.
	 */
	@Configuration(proxyBeanMethods = false)
	@Import(AuditedApplication.class)
	static class HastyAudit {

		@Bean
		AuditOptions options(TierlimitProperties properties, @Value("${test.queue-capacity:10000}") int queueCapacity,
				@Value("${test.interval:1ms}") Duration interval) {
			TierlimitProperties.AuditJdbc audit = properties.audit().jdbc();
			return new AuditOptions(audit.shadow(), audit.identities(), queueCapacity, 1000, interval,
					audit.retention());
		}

	}

}
