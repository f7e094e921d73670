package io.tierlimit.sample.live;

import java.time.Duration;
import java.util.regex.Pattern;

import io.tierlimit.sample.ShopTest;
import io.tierlimit.sample.SimulatedScheduler;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.web.server.LocalServerPort;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

/**
 * Tests that the page shows the answers of the language model, and the permits that they
 * consume.
 */
@ShopTest
@Tag("slow")
class AnswersOnPageTests extends LivePageTest {

	private static final Duration WORD = Duration.ofMillis(200);

	AnswersOnPageTests(SimulatedScheduler clock, @LocalServerPort int port) {
		super(clock, port);
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
