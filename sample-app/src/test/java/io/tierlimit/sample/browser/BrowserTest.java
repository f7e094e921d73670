package io.tierlimit.sample.browser;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Objects;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.RequestOptions;
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

	/** The rules of axe that depend on colors. */
	private static final List<String> RULES_OF_COLORS = List.of("color-contrast", "link-in-text-block");

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
	 * The credentials of a user, without a login in the browser.
	 * @param user the user
	 * @return the options of a request as this user
	 */
	protected static RequestOptions as(String user) {
		byte[] credentials = (user + ":secret").getBytes(StandardCharsets.UTF_8);
		return RequestOptions.create()
			.setHeader("Authorization", "Basic " + Base64.getEncoder().encodeToString(credentials));
	}

	/**
	 * Hides the page as another tab does, or shows it again.
	 * @param page the page
	 * @param hidden whether the page is hidden
	 */
	protected static void setHidden(Page page, boolean hidden) {
		page.evaluate("""
				(hidden) => {
					Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
					document.dispatchEvent(new Event('visibilitychange'));
				}""", hidden);
	}

	/**
	 * Checks that the page does not violate a rule of accessibility, neither in light
	 * mode nor in dark mode, which has other colors.
	 * @param page the page
	 */
	protected static void expectAccessible(Page page) {
		setColors(page, ColorScheme.DARK, "rgb(15, 20, 27)");
		expectNoViolations(new AxeBuilder(page).withRules(RULES_OF_COLORS));
		setColors(page, ColorScheme.LIGHT, "rgb(244, 246, 249)");
		expectNoViolations(new AxeBuilder(page));
	}

	private static void setColors(Page page, ColorScheme scheme, String background) {
		page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(scheme));
		PlaywrightAssertions.assertThat(page.locator("body")).hasCSS("background-color", background);
	}

	private static void expectNoViolations(AxeBuilder axe) {
		assertThat(axe.analyze().getViolations()).extracting(String::valueOf).isEmpty();
	}

}
