package io.tierlimit.sample.live;

import java.util.List;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ReducedMotion;
import io.tierlimit.sample.ShopTest;
import io.tierlimit.sample.SimulatedScheduler;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.web.server.LocalServerPort;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the accessibility of the page: by keyboard, with a screen reader, on a phone, and
 * in dark mode.
 */
@ShopTest
@Tag("slow")
class LivePageAccessTests extends LivePageTest {

	LivePageAccessTests(SimulatedScheduler clock, @LocalServerPort int port) {
		super(clock, port);
	}

	@Test
	void everythingWorksByKeyboard() {
		press("Tab");
		expectFocus("a[href='/']");
		press("Tab");
		expectFocus("[name=size][value='20']");
		press("ArrowLeft");
		expectFocus("[name=size][value='5']");
		for (String user : List.of("", "fred", "paula", "emma")) {
			press("Tab");
			expectFocus("button[data-user='" + user + "']");
		}
		press("Enter");
		assertThat(this.live.outcome()).hasText("As Emma: 5 allowed, none rejected.");
		press("Shift+Tab");
		press("Space");
		assertThat(this.live.outcome()).hasText("As Paula: 5 allowed, none rejected.");
		press("Tab");
		press("Tab");
		expectFocus("button[data-export='fred']");
		press("Tab");
		expectFocus("button[data-export='paula']");
		press("Enter");
		assertThat(this.live.outcome()).hasText("As Paula: the export is in progress.");
		press("Tab");
		expectFocus("button[data-words='8']");
		press("Tab");
		expectFocus("button[data-words='100']");
		press("Enter");
		assertThat(this.live.outcome()).hasText("As Fred: the answer is in progress.");
		press("Tab");
		expectFocus("#seconds summary");
		press("Enter");
		assertThat(this.page.locator("#seconds table")).isVisible();
		press("Tab");
		expectFocus("#offenders summary");
		press("Enter");
		assertThat(this.page.locator("#offenders table")).isVisible();
	}

	private void press(String key) {
		this.page.keyboard().press(key);
	}

	/** Whether the element has the focus, and the element or its label shows it. */
	private void expectFocus(String selector) {
		assertThat(this.page.locator(selector)).isFocused();
		Object shown = this.page.locator(selector).evaluate("""
				(element) => [element, element.nextElementSibling].filter(Boolean).map((seen) => getComputedStyle(seen))
					.some(({ opacity, outlineStyle, outlineWidth }) =>
						opacity === '1' && outlineStyle === 'solid' && parseFloat(outlineWidth) >= 2)""");
		assertThat(shown).as("visible focus of " + selector).isEqualTo(true);
	}

	@Test
	void resultOfABurstIsAnnouncedOnce() {
		assertThat(this.page.locator("[aria-live], [role=status], [role=alert], [role=log]")).hasCount(1);
		this.page.evaluate("""
				() => {
					window.announced = 0;
					new MutationObserver((changes) => window.announced += changes.length)
						.observe(document.querySelector('[role=status]'),
							{ subtree: true, childList: true, characterData: true });
				}""");
		this.live.send(20, "Fred");
		this.page.waitForResponse(BUCKETS, () -> {
		});
		expectLevel(LivePage.FRED, 0, "0 of 10 permits, one more each second");
		assertThat(this.page.evaluate("() => window.announced")).isEqualTo(1);
	}

	@Test
	void narrowPageDoesNotScrollSideways() {
		this.page.setViewportSize(360, 740);
		this.live.send(20, "Fred");
		this.page.getByText("The same as a table").click();
		this.live.openOffenders();
		assertThat(this.live.offenders().first()).isVisible();
		assertThat(this.page.evaluate("() => document.documentElement.scrollWidth")).isEqualTo(360);
	}

	@Test
	void accessibleInLightAndDark() {
		this.live.send(20, "Fred");
		expectLevel(LivePage.FRED, 0, "0 of 10 permits, one more each second");
		this.page.getByText("The same as a table").click();
		this.live.openOffenders();
		assertThat(this.live.offenders().first()).isVisible();
		expectAccessible(this.page);
	}

	@Test
	void nothingMovesIfReducedMotionIsPreferred() {
		this.page.emulateMedia(new Page.EmulateMediaOptions().setReducedMotion(ReducedMotion.REDUCE));
		assertThat(this.page.locator(".water").first()).hasCSS("transition-property", "none");
	}

}
