package io.tierlimit.sample.live;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import com.microsoft.playwright.APIRequestContext;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Response;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import io.tierlimit.sample.ShopTest;
import io.tierlimit.sample.SimulatedScheduler;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.test.web.server.LocalServerPort;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the page shows the levels of buckets, the results of its requests, exports
 * in progress, and answers of the language model.
 */
@ShopTest
@Tag("slow")
class LivePageTests extends LivePageTest {

	/** Reads the chart's bars of the last three seconds. */
	private static final String LAST_BARS = """
			(canvas) => Chart.getChart(canvas).data.datasets
				.map(({ label, data }) => `${label} ${data.slice(-3)}`).join('; ')""";

	/** After this time, an export is half complete. */
	private static final Duration HALF = ALL_ROWS.dividedBy(2);

	private static final Duration WORD = Duration.ofMillis(200);

	LivePageTests(SimulatedScheduler clock, @LocalServerPort int port) {
		super(clock, port);
	}

	@Test
	void everythingComesFromThisServerAndNothingIsInline() {
		List<Response> responses = new ArrayList<>();
		this.page.onResponse(responses::add);
		Response document = this.live.open();
		assertThat(document.headerValue("Content-Security-Policy")).startsWith("default-src 'self';")
			.doesNotContain("unsafe");
		assertThat(responses).extracting(Response::url)
			.contains(this.origin + "/common/page.css", this.origin + "/live/live.css", this.origin + "/live/live.js",
					this.origin + "/webjars/chart.js/4.5.1/dist/chart.umd.js");
		assertThat(responses).allSatisfy((response) -> assertThat(response.status()).isEqualTo(200));
	}

	@Test
	void shopLinksToThePage() {
		this.page.navigate(this.origin + "/");
		this.page.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName("Watch its buckets")).click();
		assertThat(this.page).hasURL(this.origin + "/live/");
		this.page.navigate(this.origin + "/live");
		assertThat(this.page).hasURL(this.origin + "/live/");
	}

	@Test
	void resultOfABurstIsShownAsText() {
		this.live.send(20, "Fred");
		assertThat(this.live.outcome())
			.hasText("As Fred: 10 allowed, 10 rejected. Try again in 1 s: Fred’s own bucket is empty.");
		assertThat(this.live.allowed()).hasText("10");
		assertThat(this.live.rejected()).hasText("10");
		this.live.send(5, "Fred");
		assertThat(this.live.outcome())
			.hasText("As Fred: none allowed, 5 rejected. Try again in 1 s: Fred’s own bucket is empty.");
		assertThat(this.live.allowed()).hasText("10");
		assertThat(this.live.rejected()).hasText("15");
	}

	/** Reading the levels consumes nothing, and the page reads them often. */
	@Test
	void levelIsTheLevelOfTheServer() {
		this.live.send(20, "Fred");
		expectLevel(LivePage.FRED, 0, "0 of 10 permits, one more each second");
		expectLevel(LivePage.PAULA, 20, "20 of 20 permits, 4 more each second");
		expectLevel(LivePage.ADDRESS, 20, "20 of 30 permits, 5 more each second");
		expectLevel(LivePage.EVERYBODY, 30, "30 of 40 permits, 10 more each second");
		this.clock.advance(Duration.ofSeconds(3));
		expectLevel(LivePage.FRED, 3, "3 of 10 permits, one more each second");
		expectLevel(LivePage.ADDRESS, 30, "30 of 30 permits, 5 more each second");
		assertThat(this.page.locator("[data-rule=live-per-user][data-user=fred] .refill"))
			.hasText("one more each second, full again in 7 s");
		assertThat(answered()).extracting(LiveBucket::level).containsExactly(40L, 30L, 3L, 20L, 2L, 2L, 30L);
	}

	/** The levels in the response of the server. */
	private LiveBucket[] answered() {
		String json = this.context.request().get(this.origin + "/live/buckets").text();
		return JsonMapper.shared().readValue(json, LiveBucket[].class);
	}

	@Test
	void levelFallsWithTheResponsesOfABurst() {
		this.page.route(BUCKETS, (unanswered) -> {
		});
		this.live.send(5, "Fred");
		expectLevel(LivePage.FRED, 5, "5 of 10 permits, one more each second");
		expectLevel(LivePage.EVERYBODY, 35, "35 of 40 permits, 10 more each second");
	}

	@Test
	void usersHaveTheirOwnBucketsAndEmmaHasNone() {
		this.live.send(5, "Paula");
		expectLevel(LivePage.PAULA, 15, "15 of 20 permits, 4 more each second");
		expectLevel(LivePage.FRED, 10, "10 of 10 permits, one more each second");
		this.live.send(20, "Emma");
		assertThat(this.live.outcome()).hasText("As Emma: 20 allowed, none rejected.");
		expectLevel(LivePage.ADDRESS, 5, "5 of 30 permits, 5 more each second");
		expectLevel(LivePage.PAULA, 15, "15 of 20 permits, 4 more each second");
		expectLevel(LivePage.FRED, 10, "10 of 10 permits, one more each second");
		assertThat(this.page.getByRole(AriaRole.METER)).hasCount(7);
		assertThat(this.page.locator(".none")).containsText("No bucket of her own");
	}

	@Test
	void visitorIsLimitedByAddress() {
		this.live.send(20, "a visitor");
		this.live.send(20, "a visitor");
		assertThat(this.live.outcome())
			.hasText("As a visitor: 10 allowed, 10 rejected. Try again in 1 s: your address’s bucket is empty.");
		expectLevel(LivePage.FRED, 10, "10 of 10 permits, one more each second");
		assertThat(this.page.locator(".whose")).hasText("127.0.0.1");
	}

	@Test
	void senderThatTheOperatorHasBlockedIsShown() {
		APIRequestContext operator = this.context.request();
		String override = this.origin + "/actuator/ratelimitoverrides/block-fred";
		operator.post(override, as("olga").setData(Map.of("user", "fred", "blocked", true)));
		this.live.send(5, "Fred");
		assertThat(this.live.outcome()).hasText("As Fred: none allowed, 5 rejected. The sender is blocked.");
		operator.delete(override, as("olga"));
		this.live.send(1, "Fred");
		assertThat(this.live.outcome()).hasText("As Fred: 1 allowed, none rejected.");
	}

	@Test
	void tableHasTheNumbersOfTheChart() {
		this.page.clock().install();
		this.live.open();
		this.page.clock().pauseAt(System.currentTimeMillis() + 60_000);
		this.live.send(20, "Fred");
		this.page.clock().runFor(2_000);
		this.live.send(5, "Paula");
		assertThat(this.page.locator("canvas").evaluate(LAST_BARS)).isEqualTo("Allowed 10,0,5; Rejected 10,0,0");
		this.page.getByText("The same as a table").click();
		assertThat(this.page.locator("#seconds tbody tr")).hasCount(2);
		assertThat(this.page.locator("#seconds tbody tr").first().locator("td:not(:first-child)"))
			.hasText(new String[] { "5", "0" });
		assertThat(this.page.locator("#seconds tbody tr").last().locator("td:not(:first-child)"))
			.hasText(new String[] { "10", "10" });
		this.page.clock().runFor(10_000);
		this.live.send(1, "Paula");
		assertThat(this.page.locator("#seconds tbody tr")).hasCount(3);
		// The page draws once a second, at any time within the second.
		this.page.clock().runFor(55_000);
		assertThat(this.page.locator("#seconds tbody tr")).hasCount(1);
		assertThat(this.live.rejected()).hasText("10");
	}

	@Test
	void hiddenPageSendsNoRequests() {
		this.page.clock().install();
		this.live.open();
		setHidden(this.page, true);
		List<String> asked = new ArrayList<>();
		this.page.onRequest((request) -> asked.add(request.url()));
		this.page.clock().runFor(10_000);
		assertThat(asked).isEmpty();
		this.page.waitForResponse(BUCKETS, () -> setHidden(this.page, false));
		int before = asked.size();
		this.page.waitForResponse(BUCKETS, () -> this.page.clock().runFor(1_000));
		assertThat(asked).hasSizeGreaterThan(before);
	}

	@Test
	void pageReportsThatTheServerIsUnavailableAndRecovers() {
		this.page.route("**/live/*", Route::abort);
		assertThat(this.live.connection()).containsText("The server can’t be reached.");
		this.page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Send 20 as Fred")).click();
		assertThat(this.live.outcome()).hasText("As Fred: none allowed, none rejected, 20 without an answer.");
		expectLevel(LivePage.FRED, 10, "10 of 10 permits, one more each second");
		assertThat(this.live.takeTroubles()).allSatisfy((trouble) -> assertThat(trouble).contains("net::ERR_FAILED"));
		this.page.unroute("**/live/*");
		assertThat(this.live.connection()).hasText("The server answers again.");
		this.live.send(20, "Fred");
		assertThat(this.live.connection()).isEmpty();
		expectLevel(LivePage.FRED, 0, "0 of 10 permits, one more each second");
		this.live.takeTroubles();
	}

	@Test
	void permitsAreInUseUntilTheExportsAreComplete() {
		expectInUse(LivePage.EXPORTS_OF_FRED, 0);
		this.live.export("Fred");
		expectInUse(LivePage.EXPORTS_OF_FRED, 1);
		this.clock.advance(HALF);
		this.live.export("Fred");
		expectInUse(LivePage.EXPORTS_OF_FRED, 2);
		expectInUse(LivePage.EXPORTS_OF_PAULA, 0);
		this.clock.advance(HALF);
		assertThat(this.live.outcome()).hasText("As Fred: the export is complete.");
		expectInUse(LivePage.EXPORTS_OF_FRED, 1);
		this.clock.advance(HALF);
		expectInUse(LivePage.EXPORTS_OF_FRED, 0);
		assertThat(this.live.allowed()).hasText("2");
	}

	@Test
	void thirdExportOfAUserIsRejected() {
		this.live.export("Fred");
		this.live.export("Fred");
		this.live.export("Fred");
		assertThat(this.live.outcome())
			.hasText("As Fred: the export is rejected: all permits of Fred’s exports are in use.");
		assertThat(this.live.rejected()).hasText("1");
		expectInUse(LivePage.EXPORTS_OF_FRED, 2);
		this.live.export("Paula");
		assertThat(this.live.outcome()).hasText("As Paula: the export is in progress.");
		expectInUse(LivePage.EXPORTS_OF_PAULA, 1);
	}

	@Test
	void closedPageReleasesItsPermits() {
		this.live.export("Fred");
		this.live.export("Fred");
		expectInUse(LivePage.EXPORTS_OF_FRED, 2);
		this.page.waitForResponse(BUCKETS, this.page::reload);
		// The server notices it when it writes the next rows.
		this.clock.advance(HALF);
		expectInUse(LivePage.EXPORTS_OF_FRED, 0);
	}

	private void expectInUse(String exports, int permits) {
		expectLevel(exports, permits, permits + " of 2 permits in use, one for each export");
	}

	@Test
	void shortAnswerRefundsTheRestOfItsEstimate() {
		this.live.answer("short", "Fred");
		assertThat(this.live.outcome()).hasText("As Fred: the answer is in progress.");
		expectLevel(LivePage.TOKENS_OF_FRED, 10, "10 of 30 permits, one more each second");
		this.clock.advance(WORD.multipliedBy(4));
		assertThat(this.live.answer()).hasText("A good espresso needs a");
		this.clock.advance(WORD.multipliedBy(6));
		assertThat(this.live.answer()).hasText("A good espresso needs a good espresso cup.");
		assertThat(this.live.outcome()).hasText("As Fred: the answer is complete. Its actual cost is 8 permits.");
		expectLevel(LivePage.TOKENS_OF_FRED, 24, "24 of 30 permits, one more each second");
		assertThat(this.live.allowed()).hasText("1");
	}

	@Test
	void longAnswerConsumesPermitsUntilTheBucketOwesTheMaximum() {
		this.live.answer("long", "Fred");
		this.clock.advance(WORD.multipliedBy(25));
		expectLevel(LivePage.TOKENS_OF_FRED, 9, "9 of 30 permits, one more each second");
		this.clock.advance(WORD.multipliedBy(40));
		expectLevel(LivePage.TOKENS_OF_FRED, 0, "0 of 30 permits, 10 owed, one more each second");
		this.clock.advance(WORD.multipliedBy(5));
		assertThat(this.live.outcome()).hasText(Pattern.compile(
				"As Fred: the answer has ended early, because the bucket owes the maximum\\. Its actual cost is \\d+ permits\\."));
		this.live.answer("short", "Fred");
		assertThat(this.live.outcome()).hasText(Pattern
			.compile("As Fred: the answer is rejected: Fred’s tokens are too few\\. Try again in \\d+ s\\."));
		assertThat(this.live.rejected()).hasText("1");
	}

	@Test
	void closedPageCostsTheWordsSoFar() {
		this.live.answer("long", "Fred");
		expectLevel(LivePage.TOKENS_OF_FRED, 10, "10 of 30 permits, one more each second");
		this.page.waitForResponse(BUCKETS, this.page::reload);
		// The server notices it when it writes the next words.
		this.clock.advance(WORD.multipliedBy(5));
		assertThat(this.live.level(LivePage.TOKENS_OF_FRED)).hasText(Pattern.compile("2[5-9] of 30 permits"));
	}

}
