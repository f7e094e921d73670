package io.tierlimit.web;

import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.evaluation.Stage;

import org.jspecify.annotations.Nullable;

/**
 * Makes the stages of requests, each with the rules that are decided there.
 */
public final class RequestStages {

	private final RateLimitEvaluator evaluator;

	private final RequestTabs tabs;

	private final @Nullable String managementPath;

	private final HandlerLookup handlers;

	private final CorsFields cors;

	private final RateLimitAnswers answers;

	private final RefusalAdvice advice;

	/**
	 * Creates stages.
	 * @param evaluator knows the rules
	 * @param tabs open a tab for every request
	 * @param managementPath the path of the management endpoints, which only rules that
	 * name it limit, or {@code null} if there are none
	 * @param handlers tells how the application matches paths
	 * @param cors lets browsers read what is rejected
	 * @param answers rejects
	 * @param advice is asked first about what a handler's annotation refuses
	 */
	public RequestStages(RateLimitEvaluator evaluator, RequestTabs tabs, @Nullable String managementPath,
			HandlerLookup handlers, CorsFields cors, RateLimitAnswers answers, RefusalAdvice advice) {
		this.evaluator = evaluator;
		this.tabs = tabs;
		this.managementPath = managementPath;
		this.handlers = handlers;
		this.cors = cors;
		this.answers = answers;
		this.advice = advice;
	}

	/**
	 * Makes a stage.
	 * @param stage which rules are decided
	 * @return the stage
	 * @throws IllegalArgumentException if a rule's path is no pattern
	 */
	public RequestStage of(Stage stage) {
		RequestRules rules = new RequestRules(this.evaluator.rules().stream().filter(stage::decides).toList(),
				this.managementPath, this.handlers::ignoresCase);
		return new RequestStage(stage, this.tabs, rules, this.cors, this.answers, this.advice);
	}

}
