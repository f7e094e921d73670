package io.tierlimit.sample.operator;

import java.util.ArrayList;
import java.util.List;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Response;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import io.tierlimit.sample.ShopTest;
import io.tierlimit.test.SimulatedTicker;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.web.server.LocalServerPort;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests who can open the page, its accessibility, and what it shows while an endpoint
 * does not answer as usual.
 */
@ShopTest
@Tag("slow")
class OperatorAccessTests extends OperatorPageTest {

	private static final String RULES = "**/actuator/ratelimits";

	OperatorAccessTests(SimulatedTicker clock, @LocalServerPort int port) {
		super(clock, port);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/operator/", "/operator", "/operator/index.html", "/operator/operator.js",
			"/actuator/prometheus", "/actuator/ratelimits", OVERRIDES })
	void onlyTheOperatorHasAccess(String path) {
		assertThat(callers().get(this.origin + path).status()).isEqualTo(401);
		assertThat(callers().get(this.origin + path, as("fred")).status()).isEqualTo(403);
		assertThat(callers().get(this.origin + path, as("olga")).status()).isEqualTo(200);
	}

	@Test
	void healthIsPublic() {
		assertThat(callers().get(this.origin + "/actuator/health").status()).isEqualTo(200);
	}

	@Test
	void everythingComesFromThisServerAndNothingIsInline() {
		List<Response> responses = new ArrayList<>();
		this.page.onResponse(responses::add);
		Response document = this.operator.open();
		assertThat(document.headerValue("Content-Security-Policy")).startsWith("default-src 'self';")
			.contains("frame-ancestors 'none'")
			.doesNotContain("unsafe");
		assertThat(responses).extracting(Response::url)
			.contains(this.origin + "/common/table.js", this.origin + "/operator/operator.js");
		assertThat(responses).allSatisfy((response) -> assertThat(response.status()).isEqualTo(200));
	}

	@Test
	void shopLinksToThePage() {
		this.page.navigate(this.origin + "/");
		this.page.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName("Operate the limits")).click();
		assertThat(this.page).hasURL(this.origin + "/operator/");
		assertThat(this.page.locator("h1")).hasText("Operate the limits");
	}

	@Test
	void offenderIsBlockedByKeyboard() {
		send(12, "fred");
		this.operator.open();
		Locator block = OperatorPage.button(this.operator.row("offenders", "user fred"), "Block");
		this.page.locator("#reload").focus();
		press("Tab");
		assertThat(block).isFocused();
		press("Enter");
		assertThat(this.operator.button("Save")).isFocused();
		press("Escape");
		assertThat(this.operator.dialog()).hasCount(0);
		assertThat(block).isFocused();
		press("Enter");
		press("Enter");
		assertThat(this.operator.news()).hasText("Override block-fred applies from the next request.");
		assertThat(this.operator.dialog()).hasCount(0);
		assertThat(block).isFocused();
		assertThat(request("fred")).isEqualTo(429);
		Locator remove = OperatorPage.button(this.operator.row("overrides", "block-fred"), "Remove");
		remove.focus();
		press("Enter");
		assertThat(this.operator.button("Cancel")).isFocused();
		press("Enter");
		assertThat(remove).isFocused();
		assertThat(this.operator.row("overrides", "block-fred")).isVisible();
	}

	private void press(String key) {
		this.page.keyboard().press(key);
	}

	@Test
	void accessibleInLightAndDark() {
		fillSections();
		this.operator.open();
		OperatorPage.button(this.operator.row("overrides", "scraper"), "Remove").click();
		expectAccessible(this.page);
		this.operator.confirm("Cancel");
		this.operator.button("New override").click();
		this.operator.button("Save").click();
		assertThat(this.operator.problem("id")).not().isEmpty();
		expectAccessible(this.page);
		this.operator.confirm("Cancel");
		this.operator.button("Stop all rejections").click();
		this.operator.confirm("Stop all rejections");
		assertThat(this.page.locator("#mode")).hasText("No rule rejects requests");
		expectAccessible(this.page);
	}

	@Test
	void narrowPageDoesNotScrollSideways() {
		fillSections();
		this.page.setViewportSize(360, 740);
		this.operator.open();
		assertThat(this.operator.row("offenders", "fred")).isVisible();
		expectWidth(360);
		assertThat(this.page.getByRole(AriaRole.TABLE)).hasCount(3);
		assertThat(this.operator.row("offenders", "fred").getByRole(AriaRole.CELL)).hasCount(4);
		this.operator.button("New override").click();
		expectWidth(360);
		assertThat(this.operator.dialog().evaluate("(dialog) => dialog.scrollWidth > dialog.clientWidth"))
			.isEqualTo(false);
	}

	private void expectWidth(int width) {
		assertThat(this.page.evaluate("() => document.documentElement.scrollWidth")).isEqualTo(width);
	}

	/** An offender, and an override with a long reason. */
	private void fillSections() {
		send(12, "fred");
		callers().post(this.origin + OVERRIDES + "/scraper", as("olga").setHeader("Content-Type", "application/json")
			.setData("{\"address\":\"192.0.2.0/24\",\"blocked\":true,\"reason\":\"" + "x".repeat(100) + "\"}"));
	}

	@Test
	void pageShowsWhyTheRulesAreNotReadAndRecovers() {
		this.page.clock().install();
		this.operator.open();
		expectReason(401, "The login is no longer valid.");
		expectReason(403, "The account may not use this endpoint.");
		expectReason(404, "The endpoint ratelimits is not exposed.");
		expectReason(503, "The store is unavailable, or the application is starting or stopping");
		expectReason(0, "The server can’t be reached.");
	}

	private void expectReason(int status, String reason) {
		this.page.route(RULES, (route) -> fail(route, status));
		this.page.clock().runFor(5_000);
		Locator alert = this.page.locator("#connection");
		assertThat(alert).containsText(reason);
		assertThat(alert).containsText("What this page shows may be out of date.");
		assertThat(this.operator.row("rules", "live-per-user")).isVisible();
		this.page.unroute(RULES);
		this.page.clock().runFor(5_000);
		assertThat(alert).isEmpty();
	}

	private static void fail(Route route, int status) {
		if (status == 0) {
			route.abort();
		}
		else {
			route.fulfill(new Route.FulfillOptions().setStatus(status));
		}
	}

	@Test
	void pageWithoutAServerIsNotLoaded() {
		this.page.route("**/actuator/**", Route::abort);
		this.page.navigate(this.origin + "/operator/");
		assertThat(this.page.locator("#connection")).containsText("The server can’t be reached.");
		for (String section : List.of("offenders", "bans", "overrides", "rules")) {
			assertThat(this.operator.state(section)).hasText("Not loaded.");
		}
	}

	@Test
	void endpointThatIsNotExposedIsShownInItsSection() {
		this.page.route("**" + OVERRIDES, (route) -> fail(route, 404));
		this.operator.open();
		assertThat(this.operator.state("overrides")).hasText("The endpoint ratelimitoverrides is not exposed. "
				+ "Add it to management.endpoints.web.exposure.include.");
		assertThat(this.operator.button("New override")).isDisabled();
		assertThat(this.page.locator("#connection")).isEmpty();
		assertThat(this.operator.row("rules", "live-per-user")).isVisible();
	}

	@Test
	void readOnlyEndpointIsShownWhereTheChangeWasMade() {
		this.operator.open();
		this.page.route("**" + OVERRIDES + "/*", (route) -> fail(route, 405));
		this.operator.button("New override").click();
		this.page.locator("#id").fill("x");
		this.page.locator("#user").fill("fred");
		this.operator.choose("Blocked");
		this.operator.button("Save").click();
		assertThat(this.operator.dialog().getByRole(AriaRole.ALERT)).hasText("The endpoint ratelimitoverrides is "
				+ "read-only. Set management.endpoint.ratelimitoverrides.access to unrestricted.");
		assertThat(this.page.locator("#user")).hasValue("fred");
	}

	@Test
	void failedActionKeepsItsDialogOpen() {
		this.operator.open();
		this.page.route(RULES, (route) -> fail(route, 0));
		this.operator.button("Stop all rejections").click();
		this.operator.dialog().getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Stop")).click();
		assertThat(this.operator.dialog().getByRole(AriaRole.ALERT)).hasText("The server can’t be reached.");
		this.page.unroute(RULES);
		this.operator.confirm("Stop all rejections");
		assertThat(this.page.locator("#mode")).hasText("No rule rejects requests");
	}

	@Test
	void hiddenPageSendsNoRequests() {
		this.page.clock().install();
		this.operator.open();
		setHidden(this.page, true);
		List<String> sent = new ArrayList<>();
		this.page.onRequest((request) -> sent.add(request.url()));
		this.page.clock().runFor(20_000);
		assertThat(sent).isEmpty();
		this.page.waitForResponse(RULES, () -> setHidden(this.page, false));
	}

}
