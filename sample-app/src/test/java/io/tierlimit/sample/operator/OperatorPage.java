package io.tierlimit.sample.operator;

import java.util.List;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Response;
import com.microsoft.playwright.options.AriaRole;
import io.tierlimit.sample.browser.PageTroubles;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

/**
 * The visible page, and all its errors.
 */
final class OperatorPage {

	private final Page page;

	private final String origin;

	private final PageTroubles troubles;

	OperatorPage(BrowserContext window, String origin) {
		this.page = window.newPage();
		this.origin = origin;
		// Browsers log every response with a status of 400 or more.
		this.troubles = new PageTroubles(this.page, origin,
				(message) -> message.text().startsWith("Failed to load resource"));
	}

	/** Opens the page, and waits until each section is loaded. */
	Response open() {
		Response response = this.page.navigate(this.origin + "/operator/");
		assertThat(this.page.locator("section[aria-busy=true]")).hasCount(0);
		return response;
	}

	/** The row of a section that contains a string. */
	Locator row(String section, String text) {
		return rows(section).filter(new Locator.FilterOptions().setHasText(text));
	}

	Locator rows(String section) {
		return this.page.locator("#" + section + " tbody tr");
	}

	/** The sentence that a section shows instead of rows. */
	Locator state(String section) {
		return this.page.locator("#" + section + " .state");
	}

	/** A button in a row, by the beginning of its name. */
	static Locator button(Locator row, String label) {
		return row.getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName(label));
	}

	/** A button of the page or of the dialog in front of it. */
	Locator button(String label) {
		return this.page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName(label).setExact(true));
	}

	Locator dialog() {
		return this.page.locator("dialog[open]");
	}

	/** Clicks a button of a dialog, which the page then closes. */
	void confirm(String label) {
		dialog().getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName(label).setExact(true)).click();
		assertThat(dialog()).hasCount(0);
	}

	void choose(String option) {
		dialog().getByRole(AriaRole.RADIO, new Locator.GetByRoleOptions().setName(option).setExact(true)).check();
	}

	/** A field of the form, by its label. */
	Locator field(String label) {
		return dialog().getByLabel(label);
	}

	Locator problem(String property) {
		return this.page.locator("#" + property + "-problem");
	}

	Locator news() {
		return this.page.getByRole(AriaRole.STATUS);
	}

	Page page() {
		return this.page;
	}

	List<String> takeTroubles() {
		return this.troubles.take();
	}

}
