package io.tierlimit.sample.operator;

import java.util.ArrayList;
import java.util.List;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Response;
import io.tierlimit.sample.ShopTest;
import io.tierlimit.test.SimulatedTicker;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.TestPropertySource;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the operator can list and lift bans.
 */
@ShopTest
@TestPropertySource("operator.properties")
@Tag("slow")
class OperatorBansTests extends OperatorPageTest {

	private static final String SECTION = "bans";

	OperatorBansTests(SimulatedTicker clock, @LocalServerPort int port) {
		super(clock, port);
	}

	@Test
	void banIsListedAndLifted() {
		send(13, "fred");
		this.operator.open();
		Locator fred = this.operator.row(SECTION, "user fred");
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
		assertThat(this.operator.state(SECTION)).hasText("No caller is banned.");
		assertThat(this.page.locator("#bans h2")).isFocused();
		assertThat(this.operator.row("offenders", "user fred")).containsText("10 of 10 permits");
		assertThat(request("fred")).isEqualTo(204);
	}

	@Test
	void bansAreReadOnRequestOnly() {
		this.page.clock().install();
		this.operator.open();
		assertThat(this.operator.state(SECTION)).hasText("No caller is banned.");
		send(13, "fred");
		List<String> read = new ArrayList<>();
		this.page.onRequest((request) -> read.add(request.url()));
		Response rules = this.page.waitForResponse("**/ratelimits", () -> this.page.clock().runFor(5_000));
		assertThat(rules.status()).isEqualTo(200);
		assertThat(this.operator.row("offenders", "user fred")).containsText("banned until");
		assertThat(read).noneMatch((url) -> url.endsWith("/bans"));
		this.operator.button("Read the bans again").click();
		assertThat(this.operator.row(SECTION, "user fred")).isVisible();
	}

}
