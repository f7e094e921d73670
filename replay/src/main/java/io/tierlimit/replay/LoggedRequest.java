package io.tierlimit.replay;

import java.time.Instant;
import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A request of an access log.
 *
 * @param time when the request arrived, with the precision of the log
 * @param method the HTTP method
 * @param target the path and the query as the client sent them
 * @param address the client's address, or {@code null} if the log does not have it
 * @param user the name of the authenticated user, or {@code null} if there is none
 * @param status the status of the response, or {@code null} if the log does not have it
 * @param facts other logged values by their names: {@value #PLAN}, a header such as
 * {@code header.x-api-key} in lower case, or the scope of a rule that a key resolver of
 * the application defines
 */
public record LoggedRequest(Instant time, String method, String target, @Nullable String address, @Nullable String user,
		@Nullable Integer status, Map<String, String> facts) {

	/** The name of the fact that contains the caller's plan. */
	public static final String PLAN = "plan";

	/** The prefix of facts that are headers. */
	public static final String HEADER = "header.";

	/**
	 * Creates a request.
	 */
	public LoggedRequest {
		facts = Map.copyOf(facts);
	}

	/**
	 * The value of a header.
	 * @param name the name of the header in any case
	 * @return the logged value, or {@code null}
	 */
	@Nullable String header(String name) {
		return this.facts.isEmpty() ? null : this.facts.get(HEADER + name.toLowerCase(Locale.ROOT));
	}

}
