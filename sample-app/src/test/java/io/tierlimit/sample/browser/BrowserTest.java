package io.tierlimit.sample.browser;

import java.util.Objects;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A test of a page in a real browser, which all tests share.
 */
public abstract class BrowserTest {

	private static final double PATIENCE_MILLIS = 20_000;

	private static @Nullable Chromium chromium;

	/**
	 * Starts the browser before the first test class, and closes it after the last test
	 * class.
	 */
	@RegisterExtension
	static final BeforeAllCallback launch = (test) -> {
		chromium = test.getRoot()
			.getStore(Namespace.GLOBAL)
			.computeIfAbsent(Chromium.class, (type) -> Chromium.launch(), Chromium.class);
		PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE_MILLIS);
	};

	/**
	 * Opens a window with its own storage and logins.
	 * @param options the options of the window
	 * @return the window
	 */
	protected static BrowserContext window(Browser.NewContextOptions options) {
		return Objects.requireNonNull(chromium).newContext(options);
	}

	/**
	 * Checks that the page does not violate a rule of accessibility.
	 * @param page the page
	 */
	protected static void expectAccessible(Page page) {
		assertThat(new AxeBuilder(page).analyze().getViolations()).extracting(String::valueOf).isEmpty();
	}

}
