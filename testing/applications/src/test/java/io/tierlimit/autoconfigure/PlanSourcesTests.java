package io.tierlimit.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import javax.sql.DataSource;

import io.tierlimit.database.TestDatabase;
import io.tierlimit.jdbc.JdbcDatabase;
import io.tierlimit.jdbc.SchemaInitialization;
import io.tierlimit.junit.Poll;
import io.tierlimit.plan.jdbc.PlanCache;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.PlanResolver;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The sources of a caller's plan, and their order.
 */
@Tag("slow")
class PlanSourcesTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final AutoConfigurations CORE = AutoConfigurations.of(TierlimitAutoConfiguration.class,
			TierlimitMethodAutoConfiguration.class);

	private final WebApplicationContextRunner disabled = new WebApplicationContextRunner().withConfiguration(CORE)
		.withConfiguration(
				AutoConfigurations.of(TierlimitJdbcAutoConfiguration.class, TierlimitPlanTableAutoConfiguration.class))
		.withPropertyValues("tierlimit.rules.r.rate=1/d");

	private final WebApplicationContextRunner enabled = this.disabled
		.withPropertyValues("tierlimit.plan.jdbc.enabled=true");

	@Test
	void tableIsFirstThenTheKeyAuthoritiesAndTheDefault() {
		DataSource database = new DriverManagerDataSource(TestDatabase.H2.create());
		new JdbcDatabase(database, SchemaInitialization.ALWAYS).createTables("plans");
		new JdbcTemplate(database).update("INSERT INTO tierlimit_user_plan VALUES ('alice', 'of-table')");
		this.enabled.withBean("database", DataSource.class, () -> database)
			.withPropertyValues(
					"tierlimit.plan.key=requestAttribute('plan') ?: sessionAttribute('plan') ?: claim('plan')",
					"tierlimit.plan.authority-prefix=TARIFF_", "tierlimit.plan.default=of-default")
			.run((context) -> {
				PlanResolver plans = context.getBean(PlanResolver.class);
				Poll.until(PATIENCE, () -> "of-table".equals(plans.resolve(new FactsCaller("alice", List.of()))),
						() -> "not read");
				List<String> facts = List.of("user", "request", "session", "claim", "authority");
				List<@Nullable String> order = new ArrayList<>();
				for (int first = 0; first <= facts.size(); first++) {
					List<String> present = facts.subList(first, facts.size());
					order.add(plans.resolve(new FactsCaller(present.contains("user") ? "alice" : null, present)));
				}
				assertThat(order).containsExactly("of-table", "of-request", "of-session", "of-claim", "of-authority",
						"of-default");
			});
	}

	@Test
	void sourcesAreOffByDefaultAndABlankKeyIsTreatedAsNone() {
		withDatabase(this.disabled).withPropertyValues("tierlimit.plan.key= ").run((context) -> {
			assertThat(context).doesNotHaveBean(PlanCache.class);
			List<String> facts = List.of("request", "session", "claim");
			assertThat(context.getBean(PlanResolver.class).resolve(new FactsCaller("alice", facts))).isNull();
		});
	}

	@Test
	void beanReplacesAllSources() {
		withDatabase(this.enabled).withBean("ownPlans", PlanResolver.class, () -> (caller) -> "own")
			.withPropertyValues("tierlimit.plan.key=claim('plan')", "tierlimit.plan.default=free")
			.run((context) -> {
				assertThat(context).hasSingleBean(PlanResolver.class).doesNotHaveBean(PlanCache.class);
				assertThat(context.getBean(PlanResolver.class).resolve(Caller.UNKNOWN)).isEqualTo("own");
			});
	}

	private static WebApplicationContextRunner withDatabase(WebApplicationContextRunner runner) {
		String url = TestDatabase.H2.create();
		return runner.withBean("database", DataSource.class, () -> new DriverManagerDataSource(url));
	}

	/**
	 * A caller with a user, whose plans are in facts of the given kinds.
	 */
	private record FactsCaller(@Nullable String user, List<String> facts) implements Caller {

		@Override
		public Collection<String> authorities() {
			return this.facts.contains("authority") ? List.of("TARIFF_of-authority") : List.of();
		}

		@Override
		public @Nullable Object claim(String name) {
			return plan("claim", name);
		}

		@Override
		public @Nullable Object requestAttribute(String name) {
			return plan("request", name);
		}

		@Override
		public @Nullable Object sessionAttribute(String name) {
			return plan("session", name);
		}

		private @Nullable String plan(String fact, String name) {
			return (this.facts.contains(fact) && name.equals("plan")) ? "of-" + fact : null;
		}

	}

}
