package io.tierlimit.sample.live;

import java.time.Duration;

import io.tierlimit.sample.ShopTest;
import io.tierlimit.sample.SimulatedScheduler;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.web.server.LocalServerPort;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

/**
 * Tests that the page shows the exports that are in progress.
 */
@ShopTest
@Tag("slow")
class ExportsOnPageTests extends LivePageTest {

	private static final Duration HALF = ALL_ROWS.dividedBy(2);

	ExportsOnPageTests(SimulatedScheduler clock, @LocalServerPort int port) {
		super(clock, port);
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

}
