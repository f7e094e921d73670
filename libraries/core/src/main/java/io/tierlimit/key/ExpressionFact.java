package io.tierlimit.key;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;

import io.tierlimit.spi.Caller;
import io.tierlimit.spi.Endpoint;
import org.jspecify.annotations.Nullable;

/**
 * The facts of a caller, and of a finished request, that an expression can read. Each
 * constant has the form in which an expression contains the fact.
 */
@SuppressWarnings("ImmutableEnumChecker") // The functions have no state, and the lists do
											// not change.
public enum ExpressionFact {

	/** The HTTP method. */
	METHOD("method", String.class, (caller, name) -> caller.method()),

	/** The path as the client spelled it. */
	PATH("path", String.class, (caller, name) -> caller.path()),

	/** The pattern of the mapping. */
	PATTERN("pattern", String.class, (caller, name) -> Optional.ofNullable(caller.endpoint()).map(Endpoint::pattern)),

	/** The client's address. */
	IP("ip", String.class, (caller, name) -> caller.ip()),

	/** The authenticated user. */
	USER("user", String.class, (caller, name) -> caller.user()),

	/** The caller's plan. */
	PLAN("plan", String.class, (caller, name) -> caller.plan()),

	/** The authorities of the user. */
	AUTHORITIES("authorities", List.class, (caller, name) -> caller.authorities()),

	/** A header. */
	HEADER("header('name')", String.class, Caller::header),

	/** A parameter of the query or of a form. */
	PARAM("param('name')", String.class, Caller::param),

	/** A claim of a verified token. */
	CLAIM("claim('name')", Object.class, Caller::claim),

	/** An attribute of the request. */
	REQUEST_ATTRIBUTE("requestAttribute('name')", Object.class, Caller::requestAttribute),

	/** An attribute of the session. */
	SESSION_ATTRIBUTE("sessionAttribute('name')", Object.class, Caller::sessionAttribute),

	/** An argument of the annotated method. */
	ARGUMENT("#name", Object.class, Caller::argument),

	/** The status of the response. */
	STATUS("status", Integer.class, (request, name) -> FinishedRequest.of(request).outcome().status()),

	/** A header of the response. */
	RESPONSE_HEADER("responseHeader('name')", String.class,
			(request, name) -> FinishedRequest.of(request).exchange().responseHeader(name)),

	/** The time from the arrival of the request to its end, in milliseconds. */
	DURATION("duration", Long.class, (request, name) -> FinishedRequest.of(request).exchange().duration()),

	/** The size of the request's body. */
	REQUEST_BYTES("requestBytes", Long.class, (request, name) -> FinishedRequest.of(request).exchange().requestBytes()),

	/** The size of the response's body before it is compressed. */
	RESPONSE_BYTES("responseBytes", Long.class,
			(request, name) -> FinishedRequest.of(request).exchange().responseBytes()),

	/** The last total that code has metered. */
	METERED("metered", Long.class, (request, name) -> FinishedRequest.of(request).metered());

	/** Facts that are known only at the end of a request. */
	static final Set<ExpressionFact> FINISHED = Set.of(STATUS, RESPONSE_HEADER, DURATION, REQUEST_BYTES, RESPONSE_BYTES,
			METERED);

	/**
	 * Facts that are known only after authentication. Attributes are among them because
	 * Spring Security's filters and other filters set them. A session may be stored
	 * outside of the application, so it is not read for a flood of requests that
	 * authentication rejects.
	 */
	public static final Set<ExpressionFact> IDENTITY = Set.of(USER, PLAN, AUTHORITIES, CLAIM, REQUEST_ATTRIBUTE,
			SESSION_ATTRIBUTE);

	/**
	 * Facts that are parts of the request's target, or that code may derive from the
	 * target. They differ between requests of one caller.
	 */
	public static final Set<ExpressionFact> TARGET = Set.of(METHOD, PATH, PATTERN, PARAM, REQUEST_ATTRIBUTE);

	/**
	 * Facts whose value a client can choose. A cost that reads one of them is at least 1.
	 */
	public static final Set<ExpressionFact> MINIMUM_COST = Set.of(HEADER, PARAM);

	/**
	 * Facts with which a client can cause the evaluation of a key to fail. If a key reads
	 * one of them and its evaluation fails, the request is rejected. The path is not
	 * included, because it also selects the handler.
	 */
	static final Set<ExpressionFact> CLIENT_SUPPLIED = Set.of(HEADER, PARAM, ARGUMENT);

	/** Facts that may be secret or personal. They are hashed before they are stored. */
	static final Set<ExpressionFact> SENSITIVE = Set.of(HEADER, PARAM, ARGUMENT, CLAIM, REQUEST_ATTRIBUTE,
			SESSION_ATTRIBUTE);

	/** Facts that may identify an account. */
	static final Set<ExpressionFact> ACCOUNT = Set.of(HEADER, PARAM, ARGUMENT, CLAIM, REQUEST_ATTRIBUTE,
			SESSION_ATTRIBUTE, PATH, USER);

	/** Facts of a principal, which are available without a request. */
	public static final Set<ExpressionFact> PRINCIPAL = Set.of(USER, AUTHORITIES, CLAIM);

	/**
	 * Facts that authentication verifies, or that code of the application sets. A client
	 * cannot use them to choose its plan.
	 */
	public static final Set<ExpressionFact> PLAN_SOURCES = Set.of(USER, AUTHORITIES, CLAIM, REQUEST_ATTRIBUTE,
			SESSION_ATTRIBUTE);

	private final String form;

	final Class<?> type;

	final BiFunction<Caller, String, @Nullable Object> reader;

	ExpressionFact(String form, Class<?> type, BiFunction<Caller, String, @Nullable Object> reader) {
		this.form = form;
		this.type = type;
		this.reader = reader;
	}

	/** Finds a fact by its form, such as {@code header('name')}. */
	static @Nullable ExpressionFact find(String form) {
		return Arrays.stream(values()).filter((fact) -> fact.form.equals(form)).findFirst().orElse(null);
	}

	@Override
	public String toString() {
		return this.form;
	}

	/**
	 * A fact that an expression reads.
	 *
	 * @param fact the fact
	 * @param name the name of the header, parameter, claim, attribute or argument; empty
	 * for other facts
	 */
	public record Reference(ExpressionFact fact, String name) {

	}

}
