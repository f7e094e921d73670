package io.tierlimit.sample.operator;

import java.time.Duration;
import java.util.List;

import com.microsoft.playwright.Locator;
import io.tierlimit.sample.ShopTest;
import io.tierlimit.test.SimulatedTicker;
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
 * Tests that names with markup are shown as text, and that names are read correctly from
 * keys even if they contain the separators and markers of keys. Keys are not hashed.
 */
@ShopTest
@TestPropertySource(properties = "tierlimit.keys.hash=none")
@Tag("slow")
class OperatorMarkupTests extends OperatorPageTest {

	private final InMemoryUserDetailsManager users;

	private final PasswordEncoder passwords;

	OperatorMarkupTests(SimulatedTicker clock, @LocalServerPort int port, InMemoryUserDetailsManager users,
			PasswordEncoder passwords) {
		super(clock, port);
		this.users = users;
		this.passwords = passwords;
	}

	@Test
	void namesAreShownAsTextAndBlocked() {
		for (String user : List.of("<img src=/live/x onerror=alert(1)>", "a|b\\c", "|", "(none)", "(hash)0", "\\|\\")) {
			this.users
				.createUser(User.withUsername(user).password(this.passwords.encode("secret")).authorities("A").build());
			send(12, user);
			this.operator.open();
			expectBlockedAndReleased(user);
			this.users.deleteUser(user);
			this.clock.advance(Duration.ofHours(2));
		}
	}

	private void expectBlockedAndReleased(String user) {
		Locator row = this.operator.row("offenders", "user " + user);
		assertThat(row.locator("th bdi")).hasText("user " + user);
		OperatorPage.button(row, "Block").click();
		assertThat(this.page.locator("#user")).hasValue(user);
		this.operator.confirm("Save");
		Locator override = this.operator.rows("overrides");
		assertThat(override.locator("td").first()).hasText("user " + user);
		assertThat(row).containsText("override ");
		this.clock.advance(Duration.ofMinutes(1));
		assertThat(request(user)).isEqualTo(429);
		OperatorPage.button(override, "Remove").click();
		assertThat(this.operator.dialog()).containsText(user);
		assertThat(this.page.locator("img")).hasCount(0);
		this.operator.confirm("Remove");
		assertThat(this.operator.rows("overrides")).hasCount(0);
		assertThat(request(user)).isEqualTo(204);
	}

}
