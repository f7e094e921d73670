package io.tierlimit.sample.live;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import com.microsoft.playwright.APIResponse;
import com.microsoft.playwright.Locator;
import io.tierlimit.sample.ShopTest;
import io.tierlimit.sample.SimulatedScheduler;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.test.context.TestPropertySource;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the page shows the keys with the most rejections. Keys are not hashed, so
 * that the page receives what clients have sent.
 */
@ShopTest
@TestPropertySource(properties = "tierlimit.keys.hash=none")
@Tag("slow")
class OffendersOnPageTests extends LivePageTest {

	private static final String OFFENDERS = "**/offenders";

	private final InMemoryUserDetailsManager users;

	private final PasswordEncoder passwords;

	OffendersOnPageTests(SimulatedScheduler clock, @LocalServerPort int port, InMemoryUserDetailsManager users,
			PasswordEncoder passwords) {
		super(clock, port);
		this.users = users;
		this.passwords = passwords;
	}

	@BeforeEach
	void dropEarlierCounts() {
		this.clock.advance(Duration.ofHours(2));
	}

	@Test
	void tableHasTheKeysOfEachRuleAndFollowsTheRejections() {
		this.live.send(20, "Fred");
		this.live.openOffenders();
		expectRow("live-per-user", "fred|(none)", "10");
		assertThat(this.live.offenders()).hasCount(1);
		this.live.send(20, "a visitor");
		this.live.send(20, "a visitor");
		expectRow("live-per-address", "127.0.0.1", "20");
		this.clock.advance(Duration.ofHours(2));
		assertThat(this.live.offenders()).hasCount(0);
	}

	@Test
	void closedTableIsNotRead() {
		List<String> asked = new ArrayList<>();
		this.page.onRequest((request) -> asked.add(request.url()));
		this.page.waitForResponse(OFFENDERS, this.live::openOffenders);
		this.live.openOffenders();
		for (int i = 0; i < 2; i++) {
			this.page.waitForResponse(BUCKETS, () -> {
			});
		}
		asked.clear();
		this.page.waitForResponse(BUCKETS, () -> {
		});
		assertThat(asked).isNotEmpty().noneMatch((url) -> url.contains("actuator"));
	}

	@Test
	void keyWithMarkupIsShownAsText() {
		String name = "<img src=/live/x onerror=alert(1)>";
		this.users
			.createUser(User.withUsername(name).password(this.passwords.encode("secret")).authorities("A").build());
		for (int i = 0; i < 12; i++) {
			assertThat(request(name).status()).isEqualTo((i < 10) ? 204 : 429);
		}
		this.live.openOffenders();
		expectRow("live-per-user", name + "|(none)", "2");
		assertThat(this.page.locator("#offenders img")).hasCount(0);
	}

	@Test
	void onlyTheOperatorReadsTheKeys() {
		String path = this.origin + "/actuator/ratelimits/live-per-user/offenders";
		assertThat(this.context.request().get(path).status()).isEqualTo(401);
		assertThat(this.context.request().get(path, as("fred")).status()).isEqualTo(403);
	}

	private void expectRow(String rule, String key, String rejections) {
		assertThat(this.live.offenders().filter(new Locator.FilterOptions().setHasText(rule)).locator("th, td"))
			.hasText(new String[] { rule, key, rejections });
	}

	private APIResponse request(String user) {
		return this.context.request().post(this.origin + "/live/requests", as(user));
	}

}
