package io.tierlimit.sample.browser;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType.LaunchOptions;
import com.microsoft.playwright.Playwright;

/**
 * The browser of this machine, in headless mode.
 */
final class Chromium implements AutoCloseable {

	private static final List<String> NAMES = List.of("chromium", "chromium-browser", "google-chrome",
			"google-chrome-stable");

	/**
	 * Processes that no test needs, and what Playwright disables: an argument replaces
	 * its list.
	 */
	private static final List<String> DISABLED = List.of("SpareRendererForSitePerProcess", "WebUIOmniboxAimPopup",
			"WebUIOmniboxPopup", "AvoidUnnecessaryBeforeUnloadCheckSync", "BlockOriginHeaderModificationOnRedirect",
			"BoundaryEventDispatchTracksNodeRemoval", "DestroyProfileOnBrowserClose", "DialMediaRouteProvider",
			"GlobalMediaControls", "HttpsUpgrades", "LensOverlay", "MediaRouter", "OptimizationHints", "PaintHolding",
			"ThirdPartyStoragePartitioning", "Translate");

	private final Playwright playwright;

	private final Browser browser;

	private Chromium(Playwright playwright, Browser browser) {
		this.playwright = playwright;
		this.browser = browser;
	}

	static Chromium launch() {
		Path executable = executable(System.getenv());
		Playwright playwright = Playwright
			.create(new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
		// Without the sandbox, which is not available for root: it only opens our page.
		return new Chromium(playwright,
				playwright.chromium()
					.launch(new LaunchOptions().setExecutablePath(executable)
						.setChromiumSandbox(false)
						.setArgs(List.of("--disable-background-networking", "--disable-component-update",
								"--disable-sync", "--no-first-run",
								"--disable-features=" + String.join(",", DISABLED)))));
	}

	/**
	 * The program in the variable {@code CHROMIUM}, or otherwise a usual name on the
	 * path.
	 */
	static Path executable(Map<String, String> environment) {
		String named = environment.get("CHROMIUM");
		Stream<Path> candidates = (named != null) ? Stream.of(Path.of(named))
				: NAMES.stream().flatMap((name) -> onPath(environment, name));
		return candidates.filter(Files::isExecutable)
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("No browser was found for the tests of pages: "
					+ "install the package chromium, or name a Chromium or Chrome in the variable CHROMIUM."));
	}

	private static Stream<Path> onPath(Map<String, String> environment, String name) {
		return Stream.of(environment.getOrDefault("PATH", "").split(File.pathSeparator))
			.map((directory) -> Path.of(directory, name));
	}

	BrowserContext newContext(Browser.NewContextOptions options) {
		return this.browser.newContext(options);
	}

	@Override
	public void close() {
		this.browser.close();
		this.playwright.close();
	}

}
