package io.tierlimit.sample.operator;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.options.BoundingBox;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.RequestOptions;
import io.tierlimit.sample.ShopTest;
import io.tierlimit.sample.browser.Picture;
import io.tierlimit.test.SimulatedTicker;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.web.server.LocalServerPort;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Takes the README's pictures of the page, down to the first rules.
 */
@ShopTest
@Tag("slow")
class OperatorPagePictures extends OperatorPageTest {

	OperatorPagePictures(SimulatedTicker clock, @LocalServerPort int port) {
		super(clock, port);
	}

	@ParameterizedTest
	@CsvSource({ "light, LIGHT", "dark, DARK" })
	void pictureShowsBusyHour(String name, ColorScheme scheme) throws IOException {
		this.window.close();
		open(new Browser.NewContextOptions().setColorScheme(scheme).setViewportSize(1120, 800));
		misbehave();
		override("scraper", "{\"address\":\"203.0.113.0/24\",\"blocked\":true,\"reason\":\"copies all pages\"}");
		override("import", "{\"user\":\"paula\",\"rules\":\"per-user\",\"rate\":\"100/s\",\"burst\":500,"
				+ "\"until\":\"2030-01-31T18:00:00Z\",\"reason\":\"import of all orders\"}");
		this.operator.open();
		assertThat(this.operator.rows("offenders")).hasCount(4);
		assertThat(this.operator.row("bans", "address 127.0.0.1")).isVisible();
		BoundingBox rule = this.operator.rows("rules").nth(2).boundingBox();
		Path picture = Picture.take(this.page, "operator-" + name, (int) rule.y);
		assertThat(picture.toFile()).size().isLessThan(Picture.MOST_BYTES);
	}

	/** Guesses passwords, sends too many requests, and exceeds the limit of a partner. */
	private void misbehave() {
		for (int i = 0; i < 75; i++) {
			callers().post(this.origin + "/api/login",
					RequestOptions.create()
						.setHeader("Content-Type", "application/x-www-form-urlencoded")
						.setData("username=customer" + i + "&password=guess"));
		}
		this.clock.advance(Duration.ofMinutes(30));
		send(36, "fred");
		RequestOptions acme = RequestOptions.create().setHeader("X-Partner-Key", "k-3141");
		for (int i = 0; i < 45; i++) {
			callers().get(this.origin + "/api/products", acme);
		}
		for (int i = 0; i < 8; i++) {
			callers().get(this.origin + "/api/search?q=cup");
		}
	}

	private void override(String id, String json) {
		callers().post(this.origin + OVERRIDES + "/" + id,
				as("olga").setHeader("Content-Type", "application/json").setData(json));
	}

}
