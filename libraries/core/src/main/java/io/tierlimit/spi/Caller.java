package io.tierlimit.spi;

import java.util.Collection;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The facts of a request or a call: its origin and its target. Valid until the request or
 * the call ends.
 */
public interface Caller {

	/** A caller without any fact. */
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
	 * @return the principal's name, or the name that {@code tierlimit.user.key} derives
	 * from the principal; {@code null} for an anonymous caller
	 */
	default @Nullable String user() {
		return null;
	}

	/**
	 * The authorities of the authenticated user.
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
	 * The decoded path relative to the context path. A client can send any path: a rule
	 * whose key contains the path can have any number of buckets.
	 * @return the path, or {@code null}
	 */
	default @Nullable String path() {
		return null;
	}

	/**
	 * The mapping that serves the request.
	 * @return the mapping, or {@code null} if no mapping has a pattern for the request
	 */
	default @Nullable Endpoint endpoint() {
		return null;
	}

	/**
	 * The first value of a header.
	 * @param name the name of the header in any case
	 * @return the value, or {@code null}
	 */
	default @Nullable String header(String name) {
		return null;
	}

	/**
	 * The first value of a query parameter or form parameter. A form is read from the
	 * body only if its type is {@code application/x-www-form-urlencoded}.
	 * @param name the parameter's name
	 * @return the decoded value, or {@code null}
	 */
	default @Nullable String param(String name) {
		return null;
	}

	/**
	 * A claim of the caller's verified token.
	 * @param name the claim's name, such as {@code sub}
	 * @return the claim, or {@code null}
	 */
	default @Nullable Object claim(String name) {
		return null;
	}

	/**
	 * An attribute of the request, which code on the server has set.
	 * @param name the attribute's name
	 * @return the attribute, or {@code null}
	 */
	default @Nullable Object requestAttribute(String name) {
		return null;
	}

	/**
	 * An attribute of the caller's session. No session is created.
	 * @param name the attribute's name
	 * @return the attribute, or {@code null}
	 */
	default @Nullable Object sessionAttribute(String name) {
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
