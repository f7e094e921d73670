package io.tierlimit.sample.operator;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Response;
import com.microsoft.playwright.options.AriaRole;
import io.tierlimit.sample.ShopTest;
import io.tierlimit.test.SimulatedTicker;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.TestPropertySource;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the operator lists, adds, changes and removes overrides, and that the form
 * shows mistakes and keeps what was typed. The configuration also has an override. The
 * operator can list and lift bans. Bans are first, because no rejection is counted for a
 * ban for a minute after an override was removed.
 */
@ShopTest
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@TestPropertySource("operator.properties")
@Tag("slow")
class OperatorOverridesTests extends OperatorPageTest {

	private static final String SECTION = "overrides";

	OperatorOverridesTests(SimulatedTicker clock, @LocalServerPort int port) {
		super(clock, port);
	}

	@Test
	void overrideIsAddedChangedAndRemoved() {
		this.operator.open();
		openForm("here");
		this.operator.choose("Address");
		this.operator.field("Address or network").fill("127.0.0.1");
		this.operator.choose("Unlimited");
		this.operator.confirm("Save");
		Locator here = this.operator.row(SECTION, "here");
		assertThat(here.locator("td")).hasText(new String[] { "address 127.0.0.1", "unlimitedall rules", "no end",
				"management endpoint", "EditRemove" });
		send(12, "fred");
		assertThat(request("fred")).isEqualTo(204);
		OperatorPage.button(here, "Edit").click();
		assertThat(this.operator.field("Name of the override")).hasAttribute("readonly", "");
		assertThat(this.operator.field("Unlimited")).isChecked();
		this.operator.choose("Blocked");
		this.operator.field("live-per-user").check();
		this.operator.field("Reason").fill("copies all pages");
		this.operator.confirm("Save");
		assertThat(here.locator("td").nth(1)).hasText("blockedlive-per-user");
		assertThat(here.locator("th")).hasText("herecopies all pages");
		assertThat(request("fred")).isEqualTo(429);
		OperatorPage.button(here, "Remove").click();
		this.operator.confirm("Remove");
		assertThat(here).hasCount(0);
		assertThat(this.page.locator("#overrides h2")).isFocused();
		assertThat(request("fred")).isEqualTo(204);
	}

	@Test
	void overrideOfAKeyHasItsParts() {
		this.operator.open();
		openForm("order");
		this.operator.choose("Key");
		this.operator.field("Parts of the key").fill("user:fred\nendpoint:POST /api/orders");
		this.operator.field("orders-per-user").check();
		this.operator.choose("Blocked");
		this.operator.confirm("Save");
		assertThat(this.operator.row(SECTION, "order").locator("td").first())
			.hasText("key endpoint:POST /api/orders | user:fred");
		assertThat(override("order").get("key").get(1).asString()).isEqualTo("user:fred");
		OperatorPage.button(this.operator.row(SECTION, "order"), "Edit").click();
		assertThat(this.operator.field("Parts of the key")).hasValue("endpoint:POST /api/orders\nuser:fred");
	}

	@Test
	void endIsInTheTimeZoneOfTheOperator() {
		this.window.close();
		open(new Browser.NewContextOptions().setTimezoneId("Europe/Berlin"));
		this.operator.open();
		openForm("sale");
		this.page.locator("#user").fill("fred");
		this.operator.choose("Unlimited");
		assertThat(this.page.locator("#zone")).hasText("Europe/Berlin");
		this.page.locator("#until").fill("2030-01-31T18:00");
		this.operator.confirm("Save");
		assertThat(this.operator.row(SECTION, "sale")).containsText("Jan 31, 2030, 6:00 PM");
		assertThat(override("sale").get("until").asString()).isEqualTo("2030-01-31T17:00:00Z");
		OperatorPage.button(this.operator.row(SECTION, "sale"), "Edit").click();
		assertThat(this.page.locator("#until")).hasValue("2030-01-31T18:00");
		this.operator.button("1 hour").click();
		this.operator.confirm("Save");
		assertThat(this.operator.row(SECTION, "sale")).not().containsText("2030");
		assertThat(Instant.parse(override("sale").get("until").asString()))
			.isBetween(Instant.now().plus(Duration.ofMinutes(50)), Instant.now().plus(Duration.ofMinutes(61)));
	}

	@Test
	void mistakesAreShownAtTheirFieldsAndNothingIsLost() {
		this.operator.open();
		this.operator.button("New override").click();
		this.operator.button("Save").click();
		assertThat(this.operator.problem("id")).containsText("The name must have 1 to 100 letters");
		assertThat(this.operator.problem("user")).hasText("The user is required.");
		assertThat(this.operator.problem("rate")).containsText("The rate is required");
		assertThat(this.page.locator("#id")).isFocused();
		this.page.locator("#id").fill("limit-fred");
		this.page.locator("#user").fill("fred");
		this.page.locator("#rate").fill("fast");
		this.page.locator("#reason").fill("a test");
		this.operator.field("live-per-user").check();
		this.operator.button("Save").click();
		assertThat(this.operator.problem("rate"))
			.containsText("Rate must be permits per period with a unit out of ms, s, m, h and d");
		assertThat(this.page.locator("#rate")).hasAttribute("aria-invalid", "true");
		assertThat(this.page.locator("#rate")).isFocused();
		assertThat(this.operator.problem("id")).isEmpty();
		assertThat(this.page.locator("#rate")).hasValue("fast");
		assertThat(this.page.locator("#reason")).hasValue("a test");
		this.page.locator("#rate").fill("1/s");
		this.operator.field("live-per-address").check();
		this.operator.button("Save").click();
		assertThat(this.operator.problem("rules"))
			.containsText("Rule 'live-per-address' has no buckets of its own for users, because its scope is ip.");
		assertThat(this.operator.problem("rate")).isEmpty();
		this.operator.field("live-per-address").uncheck();
		this.operator.confirm("Save");
		assertThat(this.operator.row(SECTION, "limit-fred")).containsText("a test");
	}

	@Test
	void newOverrideDoesNotReplaceAnotherOne() {
		this.operator.open();
		openForm("office");
		this.page.locator("#user").fill("fred");
		this.operator.choose("Blocked");
		this.operator.button("Save").click();
		assertThat(this.operator.problem("id"))
			.hasText("Override office exists. Edit that one, or choose another name.");
		assertThat(override("office").get("unlimited").asBoolean()).isTrue();
	}

	@Test
	void overrideOfTheConfigurationIsNotRemoved() {
		this.operator.open();
		Locator office = this.operator.row(SECTION, "office");
		assertThat(office).containsText("no limits for us");
		OperatorPage.button(office, "Remove").click();
		this.operator.dialog().getByText("Remove", new Locator.GetByTextOptions().setExact(true)).click();
		assertThat(this.operator.dialog().getByRole(AriaRole.ALERT))
			.containsText("Override 'office' was not set through the management endpoint");
		this.operator.confirm("Cancel");
		assertThat(office).isVisible();
	}

	private void openForm(String name) {
		this.operator.button("New override").click();
		this.operator.field("Name of the override").fill(name);
	}

	@Test
	@Order(1)
	void banIsListedAndLifted() {
		send(13, "fred");
		this.operator.open();
		Locator fred = this.operator.row("bans", "user fred");
		assertThat(fred.locator("td").first()).hasText("live-per-user");
		assertThat(fred.locator("td").nth(1)).containsText("1st ban in a row");
		assertThat(this.operator.row("offenders", "user fred")).containsText("banned until");
		OperatorPage.button(fred, "Lift").click();
		assertThat(this.operator.dialog()).containsText("Rule live-per-user allows user fred again.");
		this.operator.confirm("Cancel");
		assertThat(request("fred")).isEqualTo(429);
		OperatorPage.button(fred, "Lift").click();
		this.operator.confirm("Lift the ban");
		assertThat(this.operator.news()).hasText("The ban of user fred is lifted.");
		assertThat(this.operator.state("bans")).hasText("No caller is banned.");
		assertThat(this.page.locator("#bans h2")).isFocused();
		assertThat(this.operator.row("offenders", "user fred")).containsText("10 of 10 permits");
		assertThat(request("fred")).isEqualTo(204);
	}

	@Test
	@Order(2)
	void bansAreReadOnRequestOnly() {
		this.page.clock().install();
		this.operator.open();
		assertThat(this.operator.state("bans")).hasText("No caller is banned.");
		send(13, "fred");
		List<String> read = new ArrayList<>();
		this.page.onRequest((request) -> read.add(request.url()));
		Response rules = this.page.waitForResponse("**/ratelimits", () -> this.page.clock().runFor(5_000));
		assertThat(rules.status()).isEqualTo(200);
		assertThat(this.operator.row("offenders", "user fred")).containsText("banned until");
		assertThat(read).noneMatch((url) -> url.endsWith("/bans"));
		this.operator.button("Read the bans again").click();
		assertThat(this.operator.row("bans", "user fred")).isVisible();
	}

}
