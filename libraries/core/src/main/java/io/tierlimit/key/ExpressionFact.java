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
 * The facts of a caller that an expression can read, by the form in which it contains
 * them. A further fact is a further constant.
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
	ARGUMENT("#name", Object.class, Caller::argument);

	/**
	 * They are known after authentication only. The filters of Spring Security, and those
	 * around it, set attributes. A session may be stored outside of the application, so
	 * it is not read for a flood of requests that authentication rejects.
	 */
	public static final Set<ExpressionFact> IDENTITY = Set.of(USER, PLAN, AUTHORITIES, CLAIM, REQUEST_ATTRIBUTE,
			SESSION_ATTRIBUTE);

	/**
	 * They are parts of the target, or code may derive them from it, so they differ
	 * between requests of one caller.
	 */
	public static final Set<ExpressionFact> TARGET = Set.of(METHOD, PATH, PATTERN, PARAM, REQUEST_ATTRIBUTE);

	/**
	 * A cost that reads one of them is at least 1, because a client can choose the value.
	 */
	public static final Set<ExpressionFact> MINIMUM_COST = Set.of(HEADER, PARAM);

	/**
	 * If the evaluation of a key that reads one of them fails, the request is rejected,
	 * because a client can cause the failure. The path is not one of them, because it
	 * also selects the handler.
	 */
	static final Set<ExpressionFact> CLIENT_SUPPLIED = Set.of(HEADER, PARAM, ARGUMENT);

	/** They may be secret or personal, so they are hashed before they are stored. */
	static final Set<ExpressionFact> SENSITIVE = Set.of(HEADER, PARAM, ARGUMENT, CLAIM, REQUEST_ATTRIBUTE,
			SESSION_ATTRIBUTE);

	/** They may identify an account. */
	static final Set<ExpressionFact> ACCOUNT = Set.of(HEADER, PARAM, ARGUMENT, CLAIM, REQUEST_ATTRIBUTE,
			SESSION_ATTRIBUTE, PATH, USER);

	/** A principal has them without a request. */
	public static final Set<ExpressionFact> PRINCIPAL = Set.of(USER, AUTHORITIES, CLAIM);

	/**
	 * Authentication verifies them, or code of the application sets them. A client cannot
	 * choose its plan by them.
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
