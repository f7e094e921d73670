package io.tierlimit.sample.live;

import java.util.List;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.ConsoleMessage;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Response;
import com.microsoft.playwright.options.AriaRole;
import io.tierlimit.sample.browser.PageTroubles;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

/**
 * The visible page, and all its errors.
 */
final class LivePage {

	static final String EVERYBODY = "Everybody together";

	static final String ADDRESS = "Your address";

	static final String FRED = "Fred’s own (free plan)";

	static final String PAULA = "Paula’s own (pro plan)";

	static final String EXPORTS_OF_FRED = "Fred’s exports";

	static final String EXPORTS_OF_PAULA = "Paula’s exports";

	static final String TOKENS_OF_FRED = "Fred’s tokens";

	private final Page page;

	private final String origin;

	private final PageTroubles troubles;

	LivePage(BrowserContext context, String origin) {
		this.page = context.newPage();
		this.origin = origin;
		this.troubles = new PageTroubles(this.page, origin, LivePage::isRejection);
	}

	/** Browsers log every rejected request. */
	private static boolean isRejection(ConsoleMessage message) {
		return message.text().contains("status of 429")
				&& message.location().matches(".*/live/(requests|export|answer\\?words=\\d+):.*");
	}

	/** Opens the page, and waits until it shows the levels. */
	Response open() {
		Response response = this.page.navigate(this.origin + "/live/");
		assertThat(level(EVERYBODY)).containsText("of 40 permits");
		return response;
	}

	/** All errors since the last call. */
	List<String> takeTroubles() {
		return this.troubles.take();
	}

	/** Clicks a button and waits until every request of the burst is counted. */
	void send(int count, String as) {
		int counted = counted();
		this.page.getByRole(AriaRole.RADIO, new Page.GetByRoleOptions().setName(String.valueOf(count)).setExact(true))
			.check();
		this.page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Send " + count + " as " + as))
			.click();
		this.page.waitForCondition(() -> counted() == counted + count);
	}

	/**
	 * Clicks the button for an export, and waits until the export has begun or is
	 * rejected.
	 */
	void export(String as) {
		start("Start an export as " + as);
	}

	/**
	 * Clicks the button for an answer, and waits until the answer has begun or is
	 * rejected.
	 */
	void answer(String length, String as) {
		start("Get a " + length + " answer as " + as);
	}

	private void start(String button) {
		int counted = counted();
		this.page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName(button)).click();
		this.page.waitForCondition(() -> counted() == counted + 1);
	}

	private int counted() {
		return Integer.parseInt(allowed().textContent()) + Integer.parseInt(rejected().textContent());
	}

	Locator outcome() {
		return this.page.locator("#outcome");
	}

	/** The words of the last answer. */
	Locator answer() {
		return this.page.locator("#answer");
	}

	Locator connection() {
		return this.page.locator("#connection");
	}

	Locator allowed() {
		return this.page.locator("#allowed");
	}

	Locator rejected() {
		return this.page.locator("#rejected");
	}

	Locator meter(String bucket) {
		return this.page.getByRole(AriaRole.METER, new Page.GetByRoleOptions().setName(bucket).setExact(true));
	}

	/** A part of the page, by the id of its heading. */
	Locator section(String heading) {
		return this.page.locator("section[aria-labelledby=" + heading + "]");
	}

	/** The same results as a table, below the chart. */
	Locator table() {
		return this.page.locator("#seconds");
	}

	/** The displayed level of a bucket. */
	Locator level(String bucket) {
		return this.page.locator("article").filter(new Locator.FilterOptions().setHas(meter(bucket))).locator(".level");
	}

	/** Shows the table of the keys with the most rejections. */
	void openOffenders() {
		this.page.getByText("Show them as Olga").click();
	}

	/** The rows of the table of the keys with the most rejections. */
	Locator offenders() {
		return this.page.locator("#offenders tbody tr");
	}

	Page page() {
		return this.page;
	}

}
