package io.tierlimit.sample.live;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ReducedMotion;
import io.tierlimit.sample.ShopTest;
import io.tierlimit.sample.SimulatedScheduler;
import io.tierlimit.sample.browser.Picture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.web.server.LocalServerPort;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Takes the pictures of the page for the documentation.
 */
@ShopTest
@Tag("slow")
class LivePagePictures extends LivePageTest {

	/**
	 * The space above the heading of the buckets, in the picture that begins with this
	 * heading.
	 */
	private static final int MARGIN = 24;

	LivePagePictures(SimulatedScheduler clock, @LocalServerPort int port) {
		super(clock, port);
	}

	@ParameterizedTest
	@CsvSource({ "light, LIGHT, 1120", "dark, DARK, 1120", "narrow, LIGHT, 360" })
	void pictureShowsBusyMinute(String name, ColorScheme scheme, int width) throws IOException {
		this.context.close();
		this.clock.advance(Duration.ofHours(2));
		open(new Browser.NewContextOptions().setColorScheme(scheme)
			.setReducedMotion(ReducedMotion.REDUCE)
			.setViewportSize(width, 800));
		this.page.clock().install();
		this.live.open();
		this.page.clock().pauseAt(System.currentTimeMillis() + 60_000);
		sendForMinute();
		assertThat(this.live.outcome())
			.hasText("As Fred: 7 allowed, 13 rejected. Try again in 1 s: Fred’s own bucket is empty.");
		expectLevel(LivePage.FRED, 0, "0 of 10 permits, one more each second");
		expectLevel(LivePage.EXPORTS_OF_FRED, 2, "2 of 2 permits in use, one for each export");
		this.live.openOffenders();
		assertThat(this.live.offenders().first()).isVisible();
		Path picture = Picture.take(this.page, "live-" + name, 0);
		assertThat(picture.toFile()).size().isLessThan(Picture.MOST_BYTES);
		if (width > 1000) {
			takeBuckets("buckets-" + name);
		}
	}

	private void takeBuckets(String name) throws IOException {
		this.page.evaluate("scrollTo(0, 0)");
		int top = (int) this.live.section("buckets").boundingBox().y - MARGIN;
		int bottom = (int) this.live.table().boundingBox().y;
		Path part = Picture.take(this.page, name, top, bottom - top);
		assertThat(part.toFile()).size().isLessThan(Picture.MOST_BYTES);
	}

	private void sendForMinute() {
		send(5, "a visitor", 5);
		send(5, "Fred", 4);
		send(20, "Paula", 5);
		send(5, "Emma", 3);
		send(20, "Fred", 4);
		send(5, "Paula", 3);
		send(20, "Emma", 2);
		send(20, "a visitor", 6);
		send(5, "Fred", 4);
		send(5, "Paula", 3);
		send(20, "Emma", 5);
		send(5, "a visitor", 4);
		send(5, "Emma", 4);
		this.live.answer("short", "Fred");
		pass(2);
		assertThat(this.live.outcome()).containsText("the answer is complete");
		this.live.export("Paula");
		this.live.export("Fred");
		this.live.export("Fred");
		send(20, "Paula", 1);
		send(5, "Fred", 2);
		send(20, "Fred", 0);
	}

	/** Sends a burst, and advances the time of the buckets and of the page. */
	private void send(int count, String as, int seconds) {
		this.live.send(count, as);
		pass(seconds);
	}

	private void pass(int seconds) {
		this.clock.advance(Duration.ofSeconds(seconds));
		this.page.clock().runFor(seconds * 1000L);
	}

}
