package io.tierlimit.key;

import java.security.Principal;
import java.util.Collection;
import java.util.List;

import io.tierlimit.logging.OnceLogger;
import io.tierlimit.spi.AuthoritiesResolver;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.ClaimResolver;
import io.tierlimit.spi.InvalidRequestValueException;
import io.tierlimit.spi.PlanResolver;
import org.jspecify.annotations.Nullable;

/**
 * Resolves the user name, the authorities, the claims and the plan of a principal.
 */
public final class IdentityResolver {

	private static final String USER_KEY = "tierlimit.user.key";

	private final @Nullable CallerExpression userKey;

	private final AuthoritiesResolver authorities;

	private final ClaimResolver claims;

	private final PlanResolver plans;

	private final OnceLogger warnings = new OnceLogger(IdentityResolver.class);

	/**
	 * Creates a resolver.
	 * @param userKey derives the user's name from {@code user}, {@code authorities} and
	 * {@code claim('x')}; {@code null} for the principal's name
	 * @param authorities reads a principal's authorities
	 * @param claims reads a principal's claims
	 * @param plans resolves a caller's plan
	 */
	public IdentityResolver(@Nullable CallerExpression userKey, AuthoritiesResolver authorities, ClaimResolver claims,
			PlanResolver plans) {
		this.userKey = userKey;
		this.authorities = authorities;
		this.claims = claims;
		this.plans = plans;
	}

	/**
	 * The user's name. If the expression fails or has no value, the principal's name is
	 * used, and a warning is logged once. Therefore, an authenticated user is never
	 * treated as anonymous.
	 * @param principal the principal
	 * @param caller has the other facts of the principal
	 */
	@Nullable String user(Principal principal, Caller caller) {
		String name = principal.getName();
		CallerExpression expression = this.userKey;
		if (expression == null) {
			return name;
		}
		RuntimeException failure = null;
		try {
			String key = expression.evaluateKey(new DelegatingCaller(caller) {

				@Override
				public @Nullable String user() {
					return name;
				}

			});
			if (key != null) {
				return key;
			}
		}
		catch (RuntimeException ex) {
			failure = ex;
		}
		this.warnings.warn(USER_KEY, "A user has the principal's name because " + USER_KEY + " '" + expression.text()
				+ ((failure != null) ? "' failed" : "' has no value"), failure);
		return name;
	}

	Collection<String> authorities(Principal principal) {
		return List.copyOf(this.authorities.resolve(principal));
	}

	@Nullable Object claim(Principal principal, String name) {
		return this.claims.resolve(principal, name);
	}

	/**
	 * The caller's plan. If the resolver fails, the caller has no plan, and a warning is
	 * logged once.
	 * @throws InvalidRequestValueException if the resolver needs a fact that cannot be
	 * read
	 */
	@Nullable String plan(Caller caller) {
		try {
			return this.plans.resolve(caller);
		}
		catch (RuntimeException ex) {
			InvalidRequestValueException invalid = InvalidRequestValueException.find(ex);
			if (invalid != null) {
				throw invalid;
			}
			this.warnings.warn(PlanResolver.class, "A caller has no plan because the PlanResolver failed", ex);
			return null;
		}
	}

}
