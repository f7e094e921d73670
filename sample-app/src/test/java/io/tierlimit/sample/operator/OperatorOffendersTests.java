package io.tierlimit.sample.operator;

import java.time.Duration;

import com.microsoft.playwright.APIResponse;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.options.RequestOptions;
import io.tierlimit.sample.ShopTest;
import io.tierlimit.test.SimulatedTicker;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.web.server.LocalServerPort;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the operator finds the callers that are rejected most, and blocks them or
 * grants them another limit.
 */
@ShopTest
@Tag("slow")
class OperatorOffendersTests extends OperatorPageTest {

	private static final String SECTION = "offenders";

	OperatorOffendersTests(SimulatedTicker clock, @LocalServerPort int port) {
		super(clock, port);
	}

	@Test
	void quietShopHasNoOffenders() {
		this.operator.open();
		assertThat(this.operator.state(SECTION))
			.hasText("No rule has rejected a request in this hour and the one before.");
		assertThat(this.operator.rows(SECTION)).hasCount(0);
	}

	@Test
	void offenderIsBlockedAndReleased() {
		send(12, "fred");
		this.operator.open();
		Locator fred = this.operator.row(SECTION, "user fred");
		assertThat(fred.locator("td").first()).hasText("live-per-user");
		assertThat(fred.locator("td").nth(1)).hasText("2");
		assertThat(fred.locator("td").nth(2)).containsText("0 of 10 permits");
		OperatorPage.button(fred, "Block").click();
		assertThat(this.operator.field("Name of the override")).hasValue("block-fred");
		assertThat(this.operator.dialog().getByLabel("User", new Locator.GetByLabelOptions().setExact(true)).last())
			.hasValue("fred");
		assertThat(this.operator.field("live-per-user")).isChecked();
		assertThat(this.operator.field("Blocked")).isChecked();
		this.operator.confirm("Save");
		assertThat(this.operator.news()).hasText("Override block-fred applies from the next request.");
		assertThat(this.operator.row("overrides", "block-fred")).containsText("user fred");
		assertThat(fred).containsText("override block-fred");
		this.clock.advance(Duration.ofMinutes(1));
		APIResponse rejected = callers().post(this.origin + "/live/requests", as("fred"));
		assertThat(rejected.status()).isEqualTo(429);
		assertThat(rejected.text()).contains("abnormal-usage-detected");
		assertThat(request("paula")).isEqualTo(204);
		OperatorPage.button(this.operator.row("overrides", "block-fred"), "Remove").click();
		this.operator.confirm("Remove");
		assertThat(this.operator.news()).hasText("Override block-fred is removed.");
		assertThat(this.operator.state("overrides")).hasText("No caller has an override.");
		assertThat(request("fred")).isEqualTo(204);
	}

	@Test
	void offenderGetsAnotherLimit() {
		send(12, "fred");
		this.operator.open();
		OperatorPage.button(this.operator.row(SECTION, "user fred"), "Other limit").click();
		this.operator.field("Rate").fill("5/s");
		this.operator.field("Burst").fill("500");
		this.operator.confirm("Save");
		assertThat(this.operator.row("overrides", "limit-fred").locator("td").nth(1))
			.hasText("5/s, burst 500live-per-user");
		this.clock.advance(Duration.ofMinutes(10));
		for (int i = 0; i < 25; i++) {
			assertThat(request("fred")).isEqualTo(204);
		}
	}

	@Test
	void hashedKeyIsNotBlockedButReset() {
		RequestOptions acme = RequestOptions.create().setHeader("X-Partner-Key", "k-3141");
		for (int i = 0; i < 31; i++) {
			callers().get(this.origin + "/api/products", acme);
		}
		this.operator.open();
		Locator partner = this.operator.row(SECTION, "partner (hashed)");
		assertThat(partner).containsText("The key is hashed, so it does not identify a caller for an override.");
		assertThat(partner.locator("button")).hasText(new String[] { "Reset" });
		OperatorPage.button(partner, "Reset").click();
		this.operator.confirm("Reset");
		assertThat(partner).containsText("30 of 30 permits");
		assertThat(callers().get(this.origin + "/api/products", acme).status()).isEqualTo(200);
	}

	@Test
	void bucketOfAllCallersIsNotBlocked() {
		for (int i = 0; i < 6; i++) {
			callers().get(this.origin + "/api/search?q=cup");
		}
		this.operator.open();
		Locator all = this.operator.row(SECTION, "all callers together");
		assertThat(all).containsText("endpoint GET /api/search");
		assertThat(all.locator("button")).hasText(new String[] { "Reset" });
	}

	@Test
	void rowFollowsTheRejectionsAndKeepsTheFocus() {
		send(12, "fred");
		this.page.clock().install();
		this.operator.open();
		Locator fred = this.operator.row(SECTION, "user fred");
		OperatorPage.button(fred, "Block").focus();
		send(3, "fred");
		this.page.clock().runFor(5_000);
		assertThat(fred.locator("td").nth(1)).hasText("5");
		assertThat(OperatorPage.button(fred, "Block")).isFocused();
	}

}
