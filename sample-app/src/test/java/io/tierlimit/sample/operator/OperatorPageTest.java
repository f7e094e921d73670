package io.tierlimit.sample.operator;

import java.time.Duration;

import com.microsoft.playwright.APIRequestContext;
import com.microsoft.playwright.APIResponse;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import io.tierlimit.sample.browser.BrowserTest;
import io.tierlimit.test.SimulatedTicker;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A test of the page {@code /operator/} in a real browser. It begins with full buckets
 * and no offenders, and fails if the page has an error.
 */
abstract class OperatorPageTest extends BrowserTest {

	static final String OVERRIDES = "/actuator/ratelimitoverrides";

	final SimulatedTicker clock;

	final String origin;

	/** The window of olga. */
	@SuppressWarnings("NullAway.Init")
	BrowserContext window;

	@SuppressWarnings("NullAway.Init")
	OperatorPage operator;

	@SuppressWarnings("NullAway.Init")
	Page page;

	@SuppressWarnings("NullAway.Init")
	private BrowserContext callers;

	OperatorPageTest(SimulatedTicker clock, int port) {
		this.clock = clock;
		this.origin = "http://127.0.0.1:" + port;
	}

	@BeforeEach
	void openWindow() {
		this.clock.advance(Duration.ofHours(2));
		this.callers = window(new Browser.NewContextOptions());
		open(new Browser.NewContextOptions());
	}

	/** Opens a window for olga, without the page. */
	void open(Browser.NewContextOptions options) {
		this.window = window(options.setHttpCredentials("olga", "secret"));
		this.operator = new OperatorPage(this.window, this.origin);
		this.page = this.operator.page();
	}

	@AfterEach
	void nothingWentWrong() {
		this.window.close();
		assertThat(this.operator.takeTroubles()).isEmpty();
	}

	@AfterEach
	void undoChanges() {
		JsonNode list = json(callers().get(this.origin + OVERRIDES, as("olga")));
		for (JsonNode override : list.get("overrides")) {
			callers().delete(this.origin + OVERRIDES + "/" + override.get("id").asString(), as("olga"));
		}
		callers().post(this.origin + "/actuator/ratelimits",
				as("olga").setData("{\"mode\":\"configured\"}").setHeader("Content-Type", "application/json"));
		this.callers.close();
	}

	APIRequestContext callers() {
		return this.callers.request();
	}

	/** Sends requests under the rule {@code live-per-user}, ten of which are allowed. */
	void send(int count, String user) {
		for (int i = 0; i < count; i++) {
			request(user);
		}
	}

	/** The status of a request as a user. */
	int request(String user) {
		return callers().post(this.origin + "/live/requests", as(user)).status();
	}

	JsonNode override(String id) {
		return json(callers().get(this.origin + OVERRIDES + "/" + id, as("olga")));
	}

	private static JsonNode json(APIResponse response) {
		return JsonMapper.shared().readTree(response.text());
	}

}
