package io.tierlimit.replay;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The names of the fields in a log whose lines are JSON objects. By default, a field has
 * the name of the fact: {@code time}, {@code request} (the request line) or
 * {@code method}, {@code path} and {@code query}, {@code address}, {@code user},
 * {@code status}, {@code duration} and {@code plan}. Headers and the scopes of key
 * resolvers are only read if a field is given for them.
 */
public final class LogFields {

	static final String TIME = "time";

	static final String REQUEST = "request";

	static final String METHOD = "method";

	static final String PATH = "path";

	static final String QUERY = "query";

	static final String ADDRESS = "address";

	static final String USER = "user";

	static final String STATUS = "status";

	static final String DURATION = "duration";

	private static final Set<String> OWN = Set.of(TIME, REQUEST, METHOD, PATH, QUERY, ADDRESS, USER, STATUS, DURATION);

	/** Each field has the name of its fact. */
	public static final LogFields DEFAULT = new LogFields(Map.of());

	private final Map<String, String> names = new HashMap<>();

	private final List<String> facts;

	/**
	 * Creates names.
	 * @param names the name of the field by the name of the fact. A dot separates the
	 * names of nested objects. The duration is in seconds, and is subtracted from the
	 * time: give it only if the logged time is the time at which the response was
	 * complete
	 * @throws IllegalArgumentException if a name is blank
	 */
	public LogFields(Map<String, String> names) {
		names.forEach((fact, field) -> {
			if (fact.isBlank() || field.isBlank()) {
				throw new IllegalArgumentException(
						"A field must have the form FACT=NAME (was '" + fact + "=" + field + "')");
			}
			boolean header = fact.regionMatches(true, 0, LoggedRequest.HEADER, 0, LoggedRequest.HEADER.length());
			this.names.put(header ? fact.toLowerCase(Locale.ROOT) : fact, field);
		});
		this.names.putIfAbsent(LoggedRequest.PLAN, LoggedRequest.PLAN);
		this.facts = this.names.keySet().stream().filter((name) -> !OWN.contains(name)).toList();
	}

	String of(String fact) {
		return this.names.getOrDefault(fact, fact);
	}

	/** The facts that are not components of a request. */
	List<String> facts() {
		return this.facts;
	}

}
