package io.tierlimit.spi;

import java.util.Collection;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What is known of who asks, and for what. A fact that there is none of is {@code null}.
 * Used by one thread, for the time of one request.
 */
public interface Caller {

	/** A caller of whom nothing is known. */
	Caller UNKNOWN = new Caller() {
	};

	/**
	 * The client's address.
	 * @return an IP address, or {@code null}
	 */
	default @Nullable String ip() {
		return null;
	}

	/**
	 * The authenticated user.
	 * @return the principal's name, or {@code null} for an anonymous caller
	 */
	default @Nullable String user() {
		return null;
	}

	/**
	 * What the authenticated user is allowed.
	 * @return the names of authorities; empty for an anonymous caller
	 */
	default Collection<String> authorities() {
		return List.of();
	}

	/**
	 * The caller's plan, from the {@link PlanResolver}.
	 * @return the plan's name, or {@code null}
	 */
	default @Nullable String plan() {
		return null;
	}

	/**
	 * The HTTP method.
	 * @return the method as the client sent it, or {@code null}
	 */
	default @Nullable String method() {
		return null;
	}

	/**
	 * The decoded path relative to the context path. Callers choose it freely: it doesn't
	 * serve as a key.
	 * @return the path, or {@code null}
	 */
	default @Nullable String path() {
		return null;
	}

	/**
	 * The mapping that will serve the request.
	 * @return the endpoint, or {@code null} if no mapping has a pattern for it
	 */
	default @Nullable Endpoint endpoint() {
		return null;
	}

	/**
	 * A header field's first value.
	 * @param name the field's name in any case
	 * @return the value, or {@code null}
	 */
	default @Nullable String header(String name) {
		return null;
	}

	/**
	 * A query parameter's first value.
	 * @param name the parameter's name
	 * @return the decoded value, or {@code null}
	 */
	default @Nullable String param(String name) {
		return null;
	}

	/**
	 * What the issuer of the caller's verified token says of him.
	 * @param name the claim's name, such as {@code sub}
	 * @return the claim, or {@code null}
	 */
	default @Nullable Object claim(String name) {
		return null;
	}

	/**
	 * An argument of the annotated method that is called.
	 * @param name the parameter's name, or {@code a0}, {@code a1} and so on
	 * @return the argument, or {@code null}
	 */
	default @Nullable Object argument(String name) {
		return null;
	}

}
