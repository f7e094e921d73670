package io.tierlimit.web.openapi;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.headers.Header;
import io.swagger.v3.oas.models.media.Content;
import io.swagger.v3.oas.models.media.MediaType;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.responses.ApiResponse;
import io.swagger.v3.oas.models.responses.ApiResponses;
import io.tierlimit.HeaderVisibility;
import io.tierlimit.rule.Rule;

/**
 * Documents the responses of a limited operation: the status 429, and the headers of all
 * responses. What the application has documented itself is kept.
 */
public final class RateLimitedResponses {

	private static final String STATUS = "429";

	private static final String RETRY_AFTER = "Retry-After";

	private static final Map<String, String> DESCRIPTIONS = Map.of(RETRY_AFTER,
			"Seconds after which the request is allowed; absent if it never is.", "RateLimit-Policy",
			"The quota (q) and the window in seconds (w) of each rate limit.", "RateLimit",
			"For each rate limit, the remaining requests (r). If r is above 0, t is the seconds in which they can be sent; otherwise the seconds until the next request.");

	private static final Map<String, String> DESCRIPTIONS_BY_END = Map.of("Limit",
			"The capacity of the rate limit that is nearest to rejecting.", "Remaining",
			"The remaining requests of this rate limit.", "Reset",
			"When this rate limit is full again: in seconds, or as a time in seconds since the epoch.");

	private final Set<String> headers;

	private final boolean problems;

	/**
	 * Creates responses.
	 * @param headers the names of the headers that describe limits
	 * @param problems whether the body of a rejection is the standard one: problem
	 * details
	 */
	public RateLimitedResponses(Set<String> headers, boolean problems) {
		this.headers = headers;
		this.problems = problems;
	}

	void document(Operation operation, List<Rule> rules) {
		String shown = rules.stream()
			.filter((rule) -> rule.options().visibility() == HeaderVisibility.SHOWN)
			.map(Rule::id)
			.collect(Collectors.joining(", "));
		ApiResponses responses = (operation.getResponses() != null) ? operation.getResponses() : new ApiResponses();
		operation.setResponses(responses);
		ApiResponse rejection = responses.computeIfAbsent(STATUS, (status) -> rejection(shown));
		if (!shown.isEmpty()) {
			responses.values().forEach((response) -> this.headers.forEach((name) -> add(response, name)));
		}
		add(rejection, RETRY_AFTER);
	}

	private ApiResponse rejection(String rules) {
		ApiResponse response = new ApiResponse()
			.description("The request is over its rate limit" + (rules.isEmpty() ? "." : ": " + rules + "."));
		return this.problems
				? response
					.content(new Content().addMediaType("application/problem+json", new MediaType().schema(problem())))
				: response;
	}

	private static void add(ApiResponse response, String name) {
		boolean known = response.getHeaders() != null && response.getHeaders().containsKey(name);
		if (response.get$ref() == null && !known) {
			response.addHeaderObject(name, header(name));
		}
	}

	private static Header header(String name) {
		String description = DESCRIPTIONS.get(name);
		boolean text = description != null && !name.equals(RETRY_AFTER);
		return new Header().schema(schema(text ? "string" : "integer"))
			.description((description != null) ? description
					: DESCRIPTIONS_BY_END.get(name.substring(name.lastIndexOf('-') + 1)));
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
