package io.tierlimit.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.Anonymous;
import io.tierlimit.rule.AppliesTo;
import io.tierlimit.rule.HeaderVisibility;
import io.tierlimit.rule.InvalidRulesException;
import io.tierlimit.rule.Mode;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

class RuleReaderTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(TierlimitAutoConfiguration.class));

	private final List<String> properties = new ArrayList<>();

	@Test
	void everyPropertyOfARuleIsRead() {
		Rule rule = read("applies-to=methods", "scope=endpoint, user", "paths=/a/**,/b", "exclude-paths=/a/x",
				"methods=get,POST", "condition=user != null", "rate=10/s", "burst=50", "plans.pro.rate=100/s",
				"plans.pro.burst=500", "plans.max.unlimited=true", "key=ip", "cost=2", "headers=hidden",
				"anonymous=deny", "mode=shadow");
		assertThat(rule.selection().appliesTo()).isEqualTo(AppliesTo.METHODS);
		assertThat(rule.selection().paths()).containsExactly("/a/**", "/b");
		assertThat(rule.selection().excludePaths()).containsExactly("/a/x");
		assertThat(rule.selection().methods()).containsExactlyInAnyOrder("GET", "POST");
		assertThat(rule.selection().condition()).isEqualTo("user != null");
		assertThat(rule.scope().names()).containsExactly("endpoint", "user");
		assertThat(rule.scope().key()).isEqualTo("ip");
		assertThat(rule.scope().anonymous()).isEqualTo(Anonymous.DENY);
		assertThat(rule.limits().standard()).isEqualTo(new TokenBucket(Rate.parse("10/s"), 50));
		assertThat(rule.limits().plans()).containsEntry("max", PlanLimit.UNLIMITED)
			.containsEntry("pro", new PlanLimit(new TokenBucket(Rate.parse("100/s"), 500)));
		assertThat(rule.cost()).isEqualTo("2");
		assertThat(rule.visibility()).isEqualTo(HeaderVisibility.HIDDEN);
		assertThat(rule.mode()).isEqualTo(Mode.SHADOW);
	}

	@Test
	void ruleNeedsARateAndNothingElse() {
		Rule rule = read("rate=10/s");
		assertThat(rule.selection().appliesTo()).isEqualTo(AppliesTo.REQUESTS);
		assertThat(rule.selection().paths()).isEmpty();
		assertThat(rule.scope().names()).isEmpty();
		assertThat(rule.scope().anonymous()).isEqualTo(Anonymous.IP);
		assertThat(rule.limits().standard()).isEqualTo(new TokenBucket(Rate.parse("10/s"), 10));
		assertThat(rule.cost()).isEqualTo("1");
		assertThat(rule.visibility()).isEqualTo(HeaderVisibility.SHOWN);
		assertThat(rule.mode()).isEqualTo(Mode.ENFORCE);
	}

	@Test
	void ruleThatIsNotEnabledIsLeftOut() {
		this.properties.add("tierlimit.rules.off.rate=nonsense");
		this.properties.add("tierlimit.rules.off.enabled=false");
		assertThat(read("rate=1/s").id()).isEqualTo("r");
	}

	@Test
	void allMistakesAreReportedTogether() {
		assertThat(problems("tierlimit.rules.a.rate=10", "tierlimit.rules.b.scope=ip", "tierlimit.rules.c.rate=1/s",
				"tierlimit.rules.c.burst=0", "tierlimit.rules.d.rate=1/s", "tierlimit.rules.d.scope=apikey",
				"tierlimit.rules.e.rate=1/s", "tierlimit.rules.e.plans.pro.burst=5", "tierlimit.rules.f.rate=1/s",
				"tierlimit.rules.f.condition=usr == 'x'", "tierlimit.rules.g.rate=1/s", "tierlimit.rules.g.cost=-1)",
				"tierlimit.rules.h.rate=1/s", "tierlimit.rules.h.burst=five", "tierlimit.rules.i.rate=1/s",
				"tierlimit.rules.i.plans.pro.rate=2/s", "tierlimit.rules.i.plans.pro.unlimited=true",
				"tierlimit.rules.j.rate=1/s", "tierlimit.rules.j.scope=global,ip", "tierlimit.rules[k k].rate=1/s",
				"tierlimit.rules.l.rate=1/s", "tierlimit.rules.l.key=headers('a')"))
			.satisfiesExactlyInAnyOrder(
					(a) -> assertThat(a).contains("'10' is no rate", "10/s", "tierlimit.rules.a.rate"),
					(b) -> assertThat(b).contains("needs a rate", "tierlimit.rules.b.rate"),
					(c) -> assertThat(c).contains("had 0", "tierlimit.rules.c.burst"),
					(d) -> assertThat(d).contains("Rule 'd' has scope 'apikey'", "user, ip, endpoint, plan, global",
							"Define a KeyResolver bean named 'apikey'", "tierlimit.rules.d.scope"),
					(e) -> assertThat(e).contains("needs a rate", "tierlimit.rules.e.plans.pro.rate"),
					(f) -> assertThat(f).contains("A caller has no 'usr'", "tierlimit.rules.f.condition"),
					(g) -> assertThat(g).contains("'-1)' is no SpEL", "tierlimit.rules.g.cost"),
					(h) -> assertThat(h).contains("'five' is no burst", "tierlimit.rules.h.burst"),
					(i) -> assertThat(i).contains("either a rate or is unlimited", "tierlimit.rules.i.plans.pro.rate"),
					(j) -> assertThat(j).contains("'global' stands alone", "tierlimit.rules.j.scope"),
					(k) -> assertThat(k).contains("was 'k k'", "tierlimit.rules.k k"),
					(l) -> assertThat(l).contains("A caller has no 'headers()'", "tierlimit.rules.l.key"));
	}

	private Rule read(String... rule) {
		for (String property : rule) {
			this.properties.add("tierlimit.rules.r." + property);
		}
		List<Rule> rules = new ArrayList<>();
		this.runner.withPropertyValues(this.properties.toArray(String[]::new))
			.run((context) -> rules.addAll(context.getBean(RuleSet.class).rules()));
		assertThat(rules).hasSize(1);
		return rules.get(0);
	}

	private List<String> problems(String... properties) {
		List<String> problems = new ArrayList<>();
		this.runner.withPropertyValues(properties).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOfSatisfying(InvalidRulesException.class, (ex) -> problems.addAll(ex.problems()));
		});
		return problems;
	}

}
