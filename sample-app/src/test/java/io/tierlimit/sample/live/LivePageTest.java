package io.tierlimit.sample.live;

import java.time.Duration;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import io.tierlimit.sample.SimulatedScheduler;
import io.tierlimit.sample.browser.BrowserTest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A test of the page {@code /live/} in a real browser. It begins with full buckets, and
 * fails if the page has an error. Only the test advances the clock of the buckets, of the
 * exports, and of the answers.
 */
abstract class LivePageTest extends BrowserTest {

	/** The path from which the page reads the levels. */
	static final String BUCKETS = "**/live/buckets";

	/** After this time, an export is complete. */
	static final Duration ALL_ROWS = Duration.ofSeconds(10);

	/** After this time, an answer is complete. */
	private static final Duration ALL_WORDS = Duration.ofSeconds(20);

	final SimulatedScheduler clock;

	final String origin;

	@SuppressWarnings("NullAway.Init")
	BrowserContext context;

	@SuppressWarnings("NullAway.Init")
	LivePage live;

	@SuppressWarnings("NullAway.Init")
	Page page;

	LivePageTest(SimulatedScheduler clock, int port) {
		this.clock = clock;
		this.origin = "http://127.0.0.1:" + port;
	}

	@BeforeEach
	void openPageOfFullBuckets() {
		open(new Browser.NewContextOptions());
	}

	/** Opens the page in a new window. */
	void open(Browser.NewContextOptions options) {
		this.context = window(options);
		this.live = new LivePage(this.context, this.origin);
		this.page = this.live.page();
		this.live.open();
	}

	@AfterEach
	void nothingWentWrong() {
		this.clock.advance(ALL_WORDS);
		this.context.close();
		assertThat(this.live.takeTroubles()).isEmpty();
	}

	void expectLevel(String bucket, int level, String text) {
		assertThat(this.live.level(bucket)).hasText(text.substring(0, text.indexOf(',')));
		assertThat(this.live.meter(bucket)).hasAttribute("aria-valuetext", text);
		assertThat(this.live.meter(bucket)).hasAttribute("aria-valuenow", String.valueOf(level));
		assertThat(this.live.meter(bucket)).hasAttribute("aria-valuemax", text.replaceAll(".* of (\\d+) .*", "$1"));
	}

}
