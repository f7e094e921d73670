package io.tierlimit.web.openapi;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.headers.Header;
import io.swagger.v3.oas.models.media.Content;
import io.swagger.v3.oas.models.media.MediaType;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.responses.ApiResponse;
import io.swagger.v3.oas.models.responses.ApiResponses;
import io.tierlimit.HeaderVisibility;
import io.tierlimit.rule.Rule;
import io.tierlimit.web.header.HeaderStyle;
import io.tierlimit.web.header.LimitHeader;

/**
 * Documents the responses of a limited operation: the status 429, and the headers of all
 * responses. Existing documentation of the application is kept.
 *
 * @param headers the headers that describe limits
 * @param problems whether the body of a rejection is the default body, problem details
 */
public record RateLimitedResponses(List<LimitHeader> headers, boolean problems) {

	private static final String STATUS = "429";

	private static final LimitHeader WAIT = new LimitHeader("Retry-After", true,
			"Seconds after which the request is allowed; absent if it is never allowed, or if the time is not known.");

	private static final Set<LimitHeader> HEADERS_OF_EVERY_RULE = Stream.of(HeaderStyle.values())
		.filter(HeaderStyle::describesEveryRule)
		.flatMap((style) -> style.headers().stream())
		.collect(Collectors.toUnmodifiableSet());

	void document(Operation operation, List<Rule> rules) {
		List<Rule> visible = rules.stream()
			.filter((rule) -> rule.options().visibility() == HeaderVisibility.SHOWN)
			.toList();
		String shown = visible.stream().map(Rule::id).collect(Collectors.joining(", "));
		ApiResponses responses = (operation.getResponses() != null) ? operation.getResponses() : new ApiResponses();
		operation.setResponses(responses);
		ApiResponse rejection = responses.computeIfAbsent(STATUS, (status) -> rejection(shown));
		if (!shown.isEmpty()) {
			List<LimitHeader> written = headers(visible);
			responses.values().forEach((response) -> written.forEach((header) -> add(response, header)));
		}
		add(rejection, WAIT);
	}

	/** The headers of some rules. Only some styles describe concurrency limits. */
	private List<LimitHeader> headers(List<Rule> rules) {
		boolean concurrencyOnly = rules.stream().allMatch((rule) -> rule.limits().holdPermits());
		return concurrencyOnly ? this.headers.stream().filter(HEADERS_OF_EVERY_RULE::contains).toList() : this.headers;
	}

	private ApiResponse rejection(String rules) {
		ApiResponse response = new ApiResponse()
			.description("The request is over its rate limit" + (rules.isEmpty() ? "." : ": " + rules + "."));
		return this.problems
				? response
					.content(new Content().addMediaType("application/problem+json", new MediaType().schema(problem())))
				: response;
	}

	private static void add(ApiResponse response, LimitHeader header) {
		boolean known = response.getHeaders() != null && response.getHeaders().containsKey(header.name());
		if (response.get$ref() == null && !known) {
			response.addHeaderObject(header.name(), new Header().schema(schema(header.numeric() ? "integer" : "string"))
				.description(header.description()));
		}
	}

	private static Schema<?> problem() {
		Schema<?> names = schema("array");
		names.setItems(schema("string"));
		Schema<?> problem = schema("object");
		problem.addProperty("type", schema("string"));
		problem.addProperty("title", schema("string"));
		problem.addProperty("status", schema("integer"));
		problem.addProperty("detail", schema("string"));
		problem.addProperty("violated-policies", names);
		problem.addProperty("retry-after", schema("integer"));
		return problem;
	}

	/** OpenAPI 3.0 has one type, and 3.1 a set of them. */
	private static Schema<?> schema(String type) {
		Schema<?> schema = new Schema<>();
		schema.setType(type);
		schema.addType(type);
		return schema;
	}

}
