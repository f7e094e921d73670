package io.tierlimit.sample.operator;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

import com.microsoft.playwright.Locator;
import io.tierlimit.sample.ShopTest;
import io.tierlimit.spi.RuleSource;
import io.tierlimit.test.SimulatedTicker;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.test.context.TestPropertySource;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the operator sees the current rules, reloads them, and stops all rejections.
 */
@ShopTest
@TestPropertySource(properties = { "tierlimit.rules.orders-per-user.enforce-share=50%",
		"tierlimit.rules.export.schedule.ranges=2020-01-01T00:00/2021-01-01T00:00",
		"tierlimit.rules.export.schedule.weekly=SAT 22:00-06:00", "tierlimit.rules.export.schedule.zone=Europe/Berlin",
		"tierlimit.rules.courier.candidate.rate=2/h", "tierlimit.rules.order-desk.algorithm=fixed-window",
		"tierlimit.rules.order-desk.window.start=0s", "tierlimit.rules.shop.shards=4" })
@Tag("slow")
class OperatorRulesTests extends OperatorPageTest {

	private static final String SECTION = "rules";

	private final Map<String, String> liveRule;

	OperatorRulesTests(SimulatedTicker clock, @LocalServerPort int port, LiveRuleSource source) {
		super(clock, port);
		this.liveRule = source.properties;
	}

	@AfterEach
	void restoreTheRule() {
		this.liveRule.clear();
		callers().post(this.origin + "/actuator/ratelimits", as("olga"));
	}

	@Test
	void rulesHaveTheirLimitsModesAndCounts() {
		send(12, "fred");
		this.operator.open();
		expectCells("live-per-user", "1/s, burst 10plan enterprise: unlimitedplan pro: 4/s, burst 20", "enforced");
		assertThat(rule("live-per-user").locator("th")).containsText("user · /live/requests");
		assertThat(rule("live-per-user").locator("td").last()).containsText("application.yml, line");
		assertThat(rule("live-per-user").locator("td").nth(3)).hasText(Pattern.compile("[2-9]|\\d{2,}"));
		expectCells("live-exports", "2 permits in use", "enforced");
		expectCells("orders-per-user", "6/h", "enforcedfor 50% of the keys");
		assertThat(rule("export").locator("td").nth(1)).hasText(
				"enforceddoes not apply now2019-12-31T23:00:00Z/2020-12-31T23:00:00Z, SAT 22:00-06:00, Europe/Berlin");
		expectCells("shop", "1000/s, burst 2000in 4 shards", "enforced");
		expectCells("bulk-reading", "10/m", "shadow");
		expectCells("order-desk", "40/d, fixed window", "enforced");
		assertThat(rule("candidate of courier")).hasCount(1);
		expectCells("login-failures-per-address", "20/hban after 50 rejections in 10 min, for 1 h", "enforced");
	}

	private Locator rule(String id) {
		return this.operator.row(SECTION, id);
	}

	private void expectCells(String id, String limits, String mode) {
		Locator cells = rule(id).locator("td");
		assertThat(cells.first()).hasText(limits);
		assertThat(cells.nth(1)).hasText(mode);
	}

	@Test
	void rejectionsAreStoppedAndEnforcedAgain() {
		send(10, "fred");
		this.operator.open();
		assertThat(this.page.locator("#mode")).hasText("Rules are enforced");
		assertThat(request("fred")).isEqualTo(429);
		this.operator.button("Stop all rejections").click();
		this.operator.confirm("Stop all rejections");
		assertThat(this.operator.news()).hasText("All rejections are stopped on this instance.");
		assertThat(this.page.locator("#mode")).hasText("No rule rejects requests");
		assertThat(this.page.locator("#mode-origin")).hasText("shadow, set by: management endpoint");
		assertThat(rule("live-per-user").locator("td").nth(1)).hasText("shadow");
		assertThat(request("fred")).isEqualTo(204);
		this.operator.button("Use the configured mode").click();
		this.operator.confirm("Use the configured mode");
		assertThat(this.page.locator("#mode")).hasText("Rules are enforced");
		assertThat(this.operator.button("Use the configured mode")).isHidden();
		assertThat(request("fred")).isEqualTo(429);
	}

	@Test
	void reloadShowsProblemsAndKeepsTheRules() {
		this.operator.open();
		this.liveRule.put("rate", "fast");
		this.operator.button("Reload the rules").click();
		assertThat(this.operator.news())
			.hasText("Reload of the rules: the rules are not valid, so the previous ones remain active.");
		assertThat(this.page.locator("#reload-problems")).containsText("Rule 'live-per-user': rate");
		assertThat(this.page.locator("#reload-problems")).containsText("'fast'");
		assertThat(rule("live-per-user").locator("td").first()).containsText("1/s, burst 10");
		this.liveRule.put("rate", "2/s");
		this.operator.button("Reload the rules").click();
		assertThat(this.operator.news()).hasText("Reload of the rules: the new rules are active.");
		assertThat(this.page.locator("#reload-problems p")).hasCount(0);
		assertThat(rule("live-per-user").locator("td").first()).containsText("2/s, burst 10");
		assertThat(rule("live-per-user").locator("td").last()).containsText("changed by bean");
	}

	/** Overrides properties of one rule. */
	static final class LiveRuleSource implements RuleSource {

		private final Map<String, String> properties = new ConcurrentHashMap<>();

		@Override
		public Map<String, Map<String, String>> read() {
			return this.properties.isEmpty() ? Map.of() : Map.of("live-per-user", Map.copyOf(this.properties));
		}

	}

	@TestConfiguration(proxyBeanMethods = false)
	static class Configuration {

		@Bean
		LiveRuleSource liveRuleSource() {
			return new LiveRuleSource();
		}

	}

}
