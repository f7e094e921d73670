package io.tierlimit.web;

import java.io.IOException;

import io.tierlimit.evaluation.RateLimitExceededException;
import io.tierlimit.evaluation.Stage;
import io.tierlimit.evaluation.Verdict;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * One place in a request's course where it is checked against the rules that are decided
 * there.
 */
public final class RequestStage {

	private final Stage stage;

	private final RequestTabs tabs;

	private final RequestRules rules;

	private final CorsFields cors;

	private final RateLimitAnswers answers;

	private final RefusalAdvice advice;

	/**
	 * Creates a stage.
	 * @param stage which rules are decided
	 * @param tabs opens a tab, or goes on with it
	 * @param rules finds those that apply to a request
	 * @param cors lets browsers read what is rejected
	 * @param answers rejects
	 * @param advice is asked first about what a handler's annotation rejects
	 */
	RequestStage(Stage stage, RequestTabs tabs, RequestRules rules, CorsFields cors, RateLimitAnswers answers,
			RefusalAdvice advice) {
		this.stage = stage;
		this.tabs = tabs;
		this.rules = rules;
		this.cors = cors;
		this.answers = answers;
		this.advice = advice;
	}

	/**
	 * Checks a request in a filter: the first time it comes by, and whenever it is
	 * forwarded or dispatched to another target. What a handler of Spring MVC forwards to
	 * is checked against those rules that name it by its path and have not charged yet.
	 * @return whether the request may go on; if not, it has been answered
	 */
	boolean admits(HttpServletRequest request, HttpServletResponse response) throws ServletException, IOException {
		RequestTab tab = RequestTab.of(request);
		if (tab == null) {
			tab = this.tabs.open(request, response);
		}
		else if (tab.isHeld()) {
			return true;
		}
		else if (request.getDispatcherType() != DispatcherType.REQUEST && !tab.isAt(request)) {
			this.tabs.forwarded(tab, request);
		}
		else if (tab.isReached()) {
			return true;
		}
		else if (this.stage == Stage.AFTER_AUTHENTICATION) {
			tab.goOnWith(request);
		}
		return !tab.start(this.stage) || decide(tab, request, response);
	}

	/** Whether the request is allowed as it is now; if not, it has been answered. */
	boolean decide(RequestTab tab, HttpServletRequest request, HttpServletResponse response)
			throws ServletException, IOException {
		Verdict verdict = evaluate(tab, request);
		if (!verdict.allowed()) {
			reject(verdict, tab, request, response);
		}
		return verdict.allowed();
	}

	Verdict evaluate(RequestTab tab, HttpServletRequest request) {
		tab.notePreflight(tab.isPreflight() && this.cors.mayBePreflight(tab, request));
		Verdict verdict = tab.evaluate(this.rules.match(request, tab), this.stage, RequestEnd.hasFailedLogin(request));
		Parameters.check(request);
		return verdict;
	}

	void reject(Verdict verdict, RequestTab tab, HttpServletRequest request, HttpServletResponse response)
			throws ServletException, IOException {
		this.cors.allow(tab, request, response);
		Handler handler = tab.refusingHandler();
		if (handler == null
				|| !this.advice.answer(new RateLimitExceededException(verdict), handler, request, response)) {
			this.answers.reject(verdict, request, response);
		}
	}

}
