package io.tierlimit.web;

import java.io.IOException;
import java.util.List;

import io.tierlimit.evaluation.MatchedRule;
import io.tierlimit.evaluation.RateLimitExceededException;
import io.tierlimit.evaluation.Stage;
import io.tierlimit.evaluation.Verdict;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * One place in a request's course where it is held against the rules that are decided
 * there.
 */
public final class RequestStage {

	private final Stage stage;

	private final RequestRules rules;

	private final CorsFields cors;

	private final RateLimitAnswers answers;

	private final RefusalAdvice advice;

	/**
	 * Creates a stage.
	 * @param stage which rules are decided
	 * @param rules finds those that a request is held against
	 * @param cors lets browsers read what is rejected
	 * @param answers rejects
	 * @param advice is asked first about what a handler's annotation refuses
	 */
	RequestStage(Stage stage, RequestRules rules, CorsFields cors, RateLimitAnswers answers, RefusalAdvice advice) {
		this.stage = stage;
		this.rules = rules;
		this.cors = cors;
		this.answers = answers;
		this.advice = advice;
	}

	/** Whether the request may go on; if not, it has been answered. */
	boolean admits(RequestTab tab, HttpServletRequest request, HttpServletResponse response)
			throws ServletException, IOException {
		return goesOn(tab.evaluate(match(tab, request), this.stage), tab, request, response);
	}

	/** Whether the request may go on where it was forwarded to; adds to its charges. */
	boolean admitsForward(RequestTab tab, HttpServletRequest request, HttpServletResponse response)
			throws ServletException, IOException {
		return goesOn(tab.evaluateForward(match(tab, request)), tab, request, response);
	}

	private List<MatchedRule> match(RequestTab tab, HttpServletRequest request) {
		return this.rules.match(request, tab, this.cors.isPreflight(tab, request));
	}

	private boolean goesOn(Verdict verdict, RequestTab tab, HttpServletRequest request, HttpServletResponse response)
			throws ServletException, IOException {
		if (!verdict.allowed()) {
			this.cors.allow(tab, request, response);
			Handler handler = tab.refusingHandler();
			if (handler == null
					|| !this.advice.answer(new RateLimitExceededException(verdict), handler, request, response)) {
				this.answers.reject(verdict, request, response);
			}
		}
		return verdict.allowed();
	}

}
