package io.tierlimit.application;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.micrometer.core.instrument.MeterRegistry;
import io.tierlimit.application.AuditedApplication.BlockableDatabase;
import io.tierlimit.application.RequestLoad.Answer;
import io.tierlimit.database.PostgreSql;
import io.tierlimit.database.TestDatabase;
import io.tierlimit.evaluation.ReloadResult.Outcome;
import io.tierlimit.evaluation.RuleReloader;
import io.tierlimit.evaluation.ActiveRules;
import io.tierlimit.jdbc.JdbcDatabase;
import io.tierlimit.jdbc.TableWatcher;
import io.tierlimit.junit.Poll;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.redis.TcpProxy;
import io.tierlimit.rule.jdbc.RuleTables;
import io.tierlimit.web.header.RateLimitField;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two instances with one PostgreSQL and one Redis, while clients send requests: rows
 * change, break and cannot be read.
 */
@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class ChangesUnderLoadTests {

	/**
	 * The checks in ten minutes at the default refresh of 60 s, if each check follows
	 * after at least 80% of that time.
	 */
	private static final int CHECKS_IN_TEN_MINUTES = 13;

	private static final String UNREADABLE = "The rule source 'rateLimitRuleTables' cannot be read";

	/** The limits that the configuration sets. */
	private static final Rows OLD = new Rows(0, 300);

	private static final Rows NEW = new Rows(1, 450);

	private final RedisServer redis = RedisServer.start();

	private final List<RunningApplication> instances = new ArrayList<>();

	private final String url = TestDatabase.POSTGRESQL.create();

	private final DriverManagerDataSource dataSource = new DriverManagerDataSource(this.url);

	private final JdbcTemplate tables = new JdbcTemplate(this.dataSource);

	@AfterEach
	void stop() {
		this.instances.forEach(RunningApplication::close);
		this.redis.close();
	}

	@Test
	void changeTakesEffectOnEachInstanceAfterItsNextCheck() {
		start(this.url, "1d", false);
		try (RequestLoad load = load()) {
			load.awaitAnswers(20, (answer) -> answer.status() == 429);
			change(NEW);
			load.awaitAnswers(20);
			long[] before = new long[2];
			long[] after = new long[2];
			for (int instance = 0; instance < 2; instance++) {
				before[instance] = load.mark();
				check(this.instances.get(instance));
				after[instance] = load.mark();
				load.awaitAnswers(20);
			}
			load.awaitAnswers(20, (answer) -> answer.status() == 429);
			List<Answer> answers = load.stop();
			assertEachIsOfOneRuleSet(answers, OLD, NEW);
			assertEachInstanceChangesOnce(answers, OLD, NEW);
			for (Answer answer : answers) {
				if (answer.ended() < before[answer.instance()]) {
					assertThat(answer.policy()).isEqualTo(OLD.policy());
				}
				if (answer.began() > after[answer.instance()]) {
					assertThat(answer.policy()).isEqualTo(NEW.policy());
				}
			}
			assertThat(allowed(answers, OLD)).as("limit that both instances share").isEqualTo(OLD.user());
			assertThat(allowed(answers, NEW)).isEqualTo(NEW.user() - OLD.user());
		}
	}

	@Test
	void notifiedChangesTakeEffectOnBothInstances() {
		start(this.url, "1d", true);
		awaitListeners();
		Rows tight = new Rows(2, 30);
		try (RequestLoad load = load()) {
			load.awaitAnswers(10);
			change(NEW);
			awaitReloads(Outcome.REPLACED, 1);
			long raised = load.mark();
			load.awaitAnswers(20, (answer) -> answer.status() == 429);
			long tightens = load.mark();
			change(tight);
			awaitReloads(Outcome.REPLACED, 2);
			long tightened = load.mark();
			load.awaitAnswers(10);
			List<Answer> answers = load.stop();
			List<Answer> first = answers.stream().filter((answer) -> answer.ended() < tightens).toList();
			assertEachIsOfOneRuleSet(first, OLD, NEW);
			assertEachInstanceChangesOnce(first, OLD, NEW);
			assertThat(first).filteredOn((answer) -> answer.began() > raised)
				.allMatch((answer) -> answer.policy().equals(NEW.policy()));
			List<Answer> second = answers.stream().filter((answer) -> answer.began() > raised).toList();
			assertEachIsOfOneRuleSet(second, NEW, tight);
			assertEachInstanceChangesOnce(second, NEW, tight);
			assertThat(second).filteredOn((answer) -> answer.began() > tightened)
				.allMatch((answer) -> answer.policy().equals(tight.policy()) && answer.status() == 429);
			assertThat(allowed(answers, OLD) + allowed(answers, NEW)).as("limit that both instances share")
				.isEqualTo(NEW.user());
		}
	}

	@Test
	void brokenRowChangesNothingAndIsReportedByBothInstances(CapturedOutput output) {
		start(this.url, "10ms", false);
		String place = "table tierlimit_rule, row 'user', column burst";
		try (RequestLoad load = load()) {
			load.awaitAnswers(10);
			change(NEW, "many");
			awaitReloads(Outcome.INVALID, 1);
			this.tables.update("UPDATE tierlimit_rule SET burst = '1200000' WHERE rule_id = 'address'");
			awaitReloads(Outcome.INVALID, 2);
			load.awaitAnswers(10);
			for (RunningApplication instance : this.instances) {
				assertThat(instance.get("/actuator/health").body()).contains(place, "'many'");
				assertThat(instance.get("/actuator/ratelimits").body()).contains(place, "'many'");
				assertThat(reloads(instance, "invalid")).isGreaterThanOrEqualTo(2);
			}
			assertThat(output.getAll().lines().filter((line) -> line.contains(place))).as("one of each instance")
				.hasSize(2)
				.allMatch((line) -> line.contains("WARN") && line.contains("'many'")
						&& line.contains("The rules are not valid, so the previous ones remain active."));
			assertAllHave(OLD, load.stop());
		}
		change(NEW);
		assertActive(NEW, 1);
	}

	/** The checks that would occur in ten minutes follow each other without a pause. */
	@Test
	void databaseThatIsDownForTenMinutesChangesNothing(CapturedOutput output) {
		Rows later = new Rows(2, 500);
		try (TcpProxy network = new TcpProxy(port(this.url))) {
			start(this.url.replace(":" + port(this.url), ":" + network.port()), "10ms", false);
			change(NEW);
			assertActive(NEW, 1);
			try (RequestLoad load = load()) {
				load.awaitAnswers(10);
				PostgreSql.server().stop();
				try {
					assertOutageIsReported(load, CHECKS_IN_TEN_MINUTES, output);
				}
				finally {
					PostgreSql.server().start();
				}
				awaitHealth();
				network.reject();
				try {
					change(later);
					assertOutageIsReported(load, 2 * CHECKS_IN_TEN_MINUTES, output);
					assertAllHave(NEW, load.stop());
				}
				finally {
					network.heal();
				}
			}
			assertActive(later, 2);
			awaitHealth();
		}
	}

	private void assertOutageIsReported(RequestLoad load, int checks, CapturedOutput output) {
		awaitReloads(Outcome.UNAVAILABLE, checks);
		load.awaitAnswers(10);
		assertNoRequestUsesTheDatabase();
		for (RunningApplication instance : this.instances) {
			assertThat(instance.get("/actuator/health").body()).contains(UNREADABLE);
			assertThat(instance.get("/actuator/ratelimits").body()).contains(UNREADABLE);
			assertThat(reloads(instance, "unavailable")).isGreaterThanOrEqualTo(checks);
		}
		int outages = checks / CHECKS_IN_TEN_MINUTES;
		assertThat(output.getAll().lines().filter((line) -> line.contains(UNREADABLE + ": org.postgresql.")))
			.as("one of each instance in each outage")
			.hasSize(2 * outages)
			.allMatch((line) -> line.contains("WARN"));
	}

	/** The database delays a check, but no request. */
	@Test
	void databaseThatDoesNotReplyDelaysNoRequest() throws SQLException {
		try (TcpProxy network = new TcpProxy(port(this.url))) {
			start(this.url.replace(":" + port(this.url), ":" + network.port()), "10ms", false);
			Rows[] rows = { OLD, NEW, new Rows(2, 500), new Rows(3, 550), new Rows(4, 600) };

			PostgreSql.server().freeze();
			try {
				assertRequestsAreAnsweredDuringAChange(rows[0]);
			}
			finally {
				PostgreSql.server().resume();
			}
			change(rows[1]);
			assertActive(rows[1], 1);

			network.swallow();
			try {
				change(rows[2]);
				assertRequestsAreAnsweredDuringAChange(rows[1]);
			}
			finally {
				network.heal();
			}
			assertActive(rows[2], 2);

			List<BlockableDatabase> pools = this.instances.stream()
				.map((instance) -> instance.bean(BlockableDatabase.class))
				.toList();
			pools.forEach(BlockableDatabase::block);
			change(rows[3]);
			assertRequestsAreAnsweredDuringAChange(rows[2]);
			pools.forEach(BlockableDatabase::release);
			assertActive(rows[3], 3);

			try (Connection connection = this.dataSource.getConnection();
					Statement statement = connection.createStatement()) {
				connection.setAutoCommit(false);
				statement.execute("LOCK TABLE tierlimit_plan_limit IN ACCESS EXCLUSIVE MODE");
				change(rows[4]);
				Poll.until(() -> blockedReads() == 2, () -> "no reload is in progress");
				assertRequestsAreAnsweredDuringAChange(rows[3]);
				assertThat(blockedReads()).isEqualTo(2);
			}
			assertActive(rows[4], 4);
		}
	}

	private void assertRequestsAreAnsweredDuringAChange(Rows rows) {
		Poll.until(() -> checksInProgress() == 2, () -> "no check is in progress");
		try (RequestLoad load = load()) {
			load.awaitAnswers(10);
			assertAllHave(rows, load.stop());
		}
		assertThat(checksInProgress()).isEqualTo(2);
		assertNoRequestUsesTheDatabase();
	}

	private void start(String url, String refresh, boolean listens) {
		String[] properties = RunningApplication.redis(this.redis.port(), "tierlimit.redis.timeout=30s",
				"test.database=" + url, "tierlimit.jdbc.rules.enabled=true", "tierlimit.jdbc.initialize-schema=always",
				"tierlimit.jdbc.refresh=" + refresh, "test.notifications=" + listens,
				"tierlimit.rules.address.scope=ip", "tierlimit.rules.address.rate=1000000/d",
				"tierlimit.rules.all.scope=global", "tierlimit.rules.all.rate=2000000/d",
				"tierlimit.rules.user.scope=user", "tierlimit.rules.user.rate=1/d", "tierlimit.rules.user.burst=300",
				"management.endpoints.web.exposure.include=health,ratelimits",
				"management.endpoint.health.show-details=always");
		for (int i = 0; i < 2; i++) {
			this.instances.add(RunningApplication.start(AuditedApplication.class, properties));
		}
	}

	/**
	 * Starts clients. While an instance replaces its rules, one more request is sent to
	 * it.
	 */
	private RequestLoad load() {
		RequestLoad load = new RequestLoad(this.instances);
		for (int i = 0; i < 2; i++) {
			int instance = i;
			this.instances.get(i).bean(ActiveRules.class).whenReplaced((rules) -> load.request(instance));
		}
		return load;
	}

	private void change(Rows rows) {
		change(rows, String.valueOf(rows.user()));
	}

	/** Changes all rules in one transaction. */
	private void change(Rows rows, String user) {
		Map<String, String> bursts = Map.of("address", "" + rows.address(), "all", "" + rows.all(), "user", user);
		new TransactionTemplate(new JdbcTransactionManager(this.dataSource)).executeWithoutResult((transaction) -> {
			this.tables.update("DELETE FROM tierlimit_rule");
			bursts.forEach((rule, burst) -> this.tables
				.update("INSERT INTO tierlimit_rule (rule_id, burst) VALUES (?, ?)", rule, burst));
		});
	}

	/** Runs the check that would otherwise follow after the refresh time. */
	private static void check(RunningApplication instance) {
		TableWatcher watcher = instance.bean(TableWatcher.class);
		watcher.stop();
		watcher.start();
		awaitReloads(instance, Outcome.REPLACED, 1);
	}

	private void awaitReloads(Outcome outcome, int count) {
		this.instances.forEach((instance) -> awaitReloads(instance, outcome, count));
	}

	private static void awaitReloads(RunningApplication instance, Outcome outcome, int count) {
		RuleReloader reloader = instance.bean(RuleReloader.class);
		Poll.until(() -> reloader.counts().get(outcome) >= count, () -> reloader.counts() + ", " + reloader.last());
	}

	private void awaitHealth() {
		this.instances.forEach((instance) -> Poll
			.until(() -> !instance.get("/actuator/health").body().contains(UNREADABLE), () -> "still in the health"));
	}

	private void assertActive(Rows rows, int reloads) {
		awaitReloads(Outcome.REPLACED, reloads);
		for (RunningApplication instance : this.instances) {
			assertThat(instance.getAs("alice", "/orders/1").header("RateLimit-Policy")).isEqualTo(rows.policy());
		}
	}

	private static void assertAllHave(Rows rows, List<Answer> answers) {
		assertThat(answers).allMatch((answer) -> answer.policy().equals(rows.policy()))
			.allMatch((answer) -> answer.isAllowed() || answer.status() == 429);
	}

	private static long allowed(List<Answer> answers, Rows rows) {
		return answers.stream().filter((answer) -> answer.isAllowed() && answer.policy().equals(rows.policy())).count();
	}

	private static double reloads(RunningApplication instance, String outcome) {
		return instance.bean(MeterRegistry.class)
			.get("tierlimit.reloads")
			.tag("outcome", outcome)
			.functionCounter()
			.count();
	}

	/** Threads that read the tables, or try to receive notifications before they do. */
	private static long checksInProgress() {
		return Thread.getAllStackTraces()
			.values()
			.stream()
			.filter((stack) -> Stream.of(stack)
				.anyMatch((frame) -> frame.getClassName().equals(RuleTables.class.getName())
						|| (frame.getClassName().equals(JdbcDatabase.class.getName())
								&& frame.getMethodName().equals("listen"))))
			.count();
	}

	private void assertNoRequestUsesTheDatabase() {
		for (RunningApplication instance : this.instances) {
			assertThat(instance.bean(BlockableDatabase.class).threads()).isNotEmpty()
				.noneMatch((thread) -> thread.startsWith("http-"));
		}
	}

	private void awaitListeners() {
		Poll.until(() -> processes("query = 'LISTEN tierlimit'") == 2, () -> "not 2 connections listen");
	}

	private long blockedReads() {
		return processes("wait_event_type = 'Lock' AND query LIKE '%tierlimit_plan_limit%'");
	}

	private long processes(String condition) {
		return this.tables
			.queryForList("SELECT pid FROM pg_stat_activity WHERE datname = current_database() "
					+ "AND pid <> pg_backend_pid() AND " + condition)
			.size();
	}

	private static void assertEachIsOfOneRuleSet(List<Answer> answers, Rows before, Rows after) {
		for (Answer answer : answers) {
			assertThat(answer.status()).isIn(200, 429);
			assertThat(answer.policy()).isIn(before.policy(), after.policy());
			Map<String, Map<String, Long>> policy = RateLimitField.parse(answer.policy());
			RateLimitField.parse(answer.level())
				.forEach((rule, level) -> assertThat(level.get("r")).isLessThanOrEqualTo(policy.get(rule).get("q")));
			assertThat(policy.values()).extracting((rule) -> String.valueOf(rule.get("q"))).contains(answer.limit());
		}
	}

	/**
	 * Asserts that no request that begins after an answer with the new rules has an
	 * answer with the old rules.
	 */
	private static void assertEachInstanceChangesOnce(List<Answer> answers, Rows before, Rows after) {
		for (int i = 0; i < 2; i++) {
			int instance = i;
			List<Answer> own = answers.stream().filter((answer) -> answer.instance() == instance).toList();
			long firstOfNew = own.stream()
				.filter((answer) -> answer.policy().equals(after.policy()))
				.mapToLong(Answer::ended)
				.min()
				.orElseThrow();
			assertThat(own).filteredOn((answer) -> answer.policy().equals(before.policy()))
				.isNotEmpty()
				.allMatch((answer) -> answer.began() < firstOfNew);
		}
	}

	private static int port(String url) {
		return Integer.parseInt(url.replaceFirst(".*:(\\d+)/.*", "$1"));
	}

	/**
	 * The rows of all rules, which change together.
	 *
	 * @param number the number of the change, which determines the limits of the rules
	 * for an address and for all callers
	 * @param user the burst of the user
	 */
	private record Rows(int number, long user) {

		/**
		 * The header. The rules for the address and for all callers are decided first.
		 */
		String policy() {
			long window = 86_400 + 8_640L * this.number;
			return "\"address\";q=%d;w=%d, \"all\";q=%d;w=%d, \"user\";q=%d;w=%d".formatted(address(), window, all(),
					window, this.user, this.user * 86_400);
		}

		long address() {
			return 1_000_000 + 100_000L * this.number;
		}

		long all() {
			return 2 * address();
		}

	}

}
