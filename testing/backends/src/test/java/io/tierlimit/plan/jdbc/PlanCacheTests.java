package io.tierlimit.plan.jdbc;

import java.sql.SQLException;
import java.time.Duration;

import javax.sql.DataSource;

import io.tierlimit.database.TestDatabase;
import io.tierlimit.jdbc.JdbcDatabase;
import io.tierlimit.jdbc.SchemaInitialization;
import io.tierlimit.jdbc.UnreliableDatabase;
import io.tierlimit.junit.Poll;
import io.tierlimit.key.SimpleCaller;
import io.tierlimit.spi.Caller;
import io.tierlimit.store.SimulatedTicker;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The cache reads on the thread of the test, unless the cache is started.
 */
@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class PlanCacheTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final int MAX_USERS = 1000;

	private final SimulatedTicker clock = new SimulatedTicker();

	private final DataSource dataSource = new DriverManagerDataSource(TestDatabase.H2.create());

	private final JdbcTemplate rows = new JdbcTemplate(this.dataSource);

	private final UnreliableDatabase database = new UnreliableDatabase(this.dataSource);

	private final PlanCache cache = new PlanCache(
			new PlanTable(new JdbcDatabase(this.database, SchemaInitialization.ALWAYS)), this.clock,
			Duration.ofMinutes(1), MAX_USERS);

	@BeforeEach
	void createTable() {
		this.cache.readRequested();
		this.rows.update("INSERT INTO tierlimit_user_plan VALUES ('alice', 'pro'), ('bob', 'free')");
		this.database.attempts().set(0);
	}

	@Test
	void userHasAPlanAsSoonAsItWasRead() {
		assertThat(plan("alice")).isNull();
		assertThat(this.database.attempts()).as("no request waits for the database").hasValue(0);
		this.cache.readRequested();
		assertThat(plan("alice")).isEqualTo("pro");
	}

	/** The memory of the cache is bounded. */
	@Test
	void nameThatIsTooLongForARowIsNotCached() {
		plan("a".repeat(256));
		assertThat(this.cache.size()).isZero();
		plan("a".repeat(255));
		assertThat(this.cache.size()).isEqualTo(1);
	}

	/** A user without a row is also cached, and an anonymous caller is not looked up. */
	@Test
	void usersThatWaitAreReadTogetherAndOnce() {
		for (int i = 0; i < 3; i++) {
			plan("alice");
			plan("bob");
			plan("carol");
			plan(null);
		}
		this.cache.readRequested();
		assertThat(plan("alice")).isEqualTo("pro");
		assertThat(plan("bob")).isEqualTo("free");
		assertThat(plan("carol")).isNull();
		assertThat(plan(null)).isNull();
		assertThat(this.cache.size()).isEqualTo(3);
		this.cache.readRequested();
		assertThat(this.database.attempts()).hasValue(1);
		this.clock.advance(Duration.ofMinutes(10));
		this.cache.readRequested();
		assertThat(this.database.attempts()).as("without requests").hasValue(1);
	}

	@Test
	void changeTakesEffectAfterTheExpiryAndUntilThenThePlanRemains() {
		readPlanOf("alice");
		this.rows.update("UPDATE tierlimit_user_plan SET plan_name = 'team' WHERE user_name = 'alice'");
		this.clock.advance(Duration.ofSeconds(60).minusNanos(1000));
		plan("alice");
		this.cache.readRequested();
		assertThat(plan("alice")).as("not expired").isEqualTo("pro");
		this.clock.advance(Duration.ofNanos(1000));
		assertThat(plan("alice")).as("not read yet").isEqualTo("pro");
		this.cache.readRequested();
		assertThat(plan("alice")).isEqualTo("team");
		this.rows.update("DELETE FROM tierlimit_user_plan");
		this.clock.advance(Duration.ofMinutes(1));
		readPlanOf("alice");
		assertThat(plan("alice")).as("deleted").isNull();
	}

	@Test
	void usersAreEvictedWhoseLastRequestIsTheOldest() {
		readPlanOf("alice");
		readPlanOf("bob");
		for (int i = 0; i < 10 * MAX_USERS; i++) {
			plan("made-up-" + i);
			assertThat(plan("alice")).isEqualTo("pro");
		}
		assertThat(this.cache.size()).isLessThanOrEqualTo(MAX_USERS);
		assertThat(plan("bob")).as("evicted").isNull();
	}

	@Test
	void usersThatFindTheQueueFullAreReadLater() {
		PlanCache large = new PlanCache(new PlanTable(new JdbcDatabase(this.database, SchemaInitialization.NEVER)),
				this.clock, Duration.ofMinutes(1), 100_000);
		for (int i = 0; i < 10_000; i++) {
			large.planOf(caller("made-up-" + i));
		}
		large.planOf(caller("alice"));
		for (int i = 0; i < 20; i++) {
			large.readRequested();
		}
		assertThat(this.database.attempts()).as("500 users in each statement, and one for the product").hasValue(21);
		large.readRequested();
		assertThat(this.database.attempts()).as("alice did not wait").hasValue(21);
		assertThat(large.planOf(caller("alice"))).isNull();
		large.readRequested();
		assertThat(large.planOf(caller("alice"))).isEqualTo("pro");
	}

	@Test
	void planRemainsWhileTheDatabaseIsDown(CapturedOutput output) {
		readPlanOf("alice");
		this.database.setDown(true);
		this.clock.advance(Duration.ofMinutes(10));
		for (int i = 0; i < 5; i++) {
			assertThat(plan("alice")).isEqualTo("pro");
			assertThat(plan("bob")).isNull();
			this.cache.readRequested();
		}
		assertThat(output)
			.containsOnlyOnce("The table tierlimit_user_plan cannot be read, so users have the plans that were read "
					+ "before: java.sql.SQLException: down.");
		assertThat(this.cache.problem())
			.isEqualTo("The table tierlimit_user_plan cannot be read, so users have the plans that were read before "
					+ "(SQLException)");
		this.rows.update("UPDATE tierlimit_user_plan SET plan_name = 'team'");
		this.database.setDown(false);
		this.clock.advance(Duration.ofMinutes(1));
		plan("alice");
		plan("bob");
		this.cache.readRequested();
		assertThat(plan("alice")).isEqualTo("team");
		assertThat(plan("bob")).isEqualTo("team");
		assertThat(this.cache.problem()).isNull();
		assertThat(output).contains("The table tierlimit_user_plan can be read again.");
	}

	@Test
	void outageDoesNotEndBecauseNoUserWaits(CapturedOutput output) {
		plan("alice");
		this.database.setDown(true);
		this.cache.readRequested();
		this.clock.advance(Duration.ofMinutes(1));
		this.cache.readRequested();
		assertThat(this.cache.problem()).isNotNull();
		assertThat(output).doesNotContain("The table tierlimit_user_plan can be read again.");
		this.database.setDown(false);
		this.clock.advance(Duration.ofMinutes(1));
		this.cache.readRequested();
		assertThat(this.cache.problem()).isNull();
		assertThat(output).containsOnlyOnce("The table tierlimit_user_plan can be read again.");
	}

	@Test
	void missingTableIsReportedBeforeTheFirstRequest(CapturedOutput output) {
		this.rows.execute("DROP TABLE tierlimit_user_plan");
		PlanCache other = new PlanCache(new PlanTable(new JdbcDatabase(this.database, SchemaInitialization.NEVER)),
				this.clock, Duration.ofMinutes(1), MAX_USERS);
		other.readRequested();
		assertThat(other.problem()).isNotNull();
		assertThat(output).contains("the table does not exist, or differs from the script of Tierlimit");
	}

	@Test
	void threadReadsUsersUntilItIsStoppedAndCanStartAgain() {
		for (String user : new String[] { "alice", "bob" }) {
			this.cache.start();
			assertThat(this.cache.isRunning()).isTrue();
			Poll.until(PATIENCE, () -> plan(user) != null, () -> "not read");
			this.cache.stop();
			assertThat(this.cache.isRunning()).isFalse();
		}
		plan("carol");
		this.rows.update("INSERT INTO tierlimit_user_plan VALUES ('carol', 'team')");
		this.cache.readRequested();
		assertThat(plan("carol")).as("still waited").isEqualTo("team");
	}

	private void readPlanOf(String user) {
		plan(user);
		this.cache.readRequested();
	}

	private @Nullable String plan(@Nullable String user) {
		return this.cache.planOf(caller(user));
	}

	private static Caller caller(@Nullable String user) {
		return SimpleCaller.at("::1").as(user);
	}

}
