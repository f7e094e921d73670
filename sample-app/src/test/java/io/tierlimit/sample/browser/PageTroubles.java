package io.tierlimit.sample.browser;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import com.microsoft.playwright.ConsoleMessage;
import com.microsoft.playwright.Page;

/**
 * The errors of a page: errors of scripts, messages of the console, violations of the
 * Content-Security-Policy, and requests to other servers.
 */
public final class PageTroubles {

	/** Violations of the Content-Security-Policy become errors of the console. */
	private static final String REPORT_VIOLATIONS = "addEventListener('securitypolicyviolation', "
			+ "(violation) => console.error(violation.violatedDirective, violation.blockedURI))";

	private final List<String> troubles = new ArrayList<>();

	/**
	 * Listens to a page.
	 * @param page the page, before it is loaded
	 * @param origin the only server that it may call
	 * @param expected messages of the console that are not problems
	 */
	public PageTroubles(Page page, String origin, Predicate<ConsoleMessage> expected) {
		page.addInitScript(REPORT_VIOLATIONS);
		page.onConsoleMessage((message) -> {
			if (List.of("error", "warning").contains(message.type()) && !expected.test(message)) {
				this.troubles.add(message.text());
			}
		});
		page.onPageError(this.troubles::add);
		page.onRequest((request) -> {
			if (!request.url().startsWith(origin + "/")) {
				this.troubles.add("A request to " + request.url());
			}
		});
	}

	/**
	 * All errors since the last call.
	 * @return the errors
	 */
	public List<String> take() {
		List<String> taken = List.copyOf(this.troubles);
		this.troubles.clear();
		return taken;
	}

}
