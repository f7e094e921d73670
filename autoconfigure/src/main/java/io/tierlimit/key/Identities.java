package io.tierlimit.key;

import java.security.Principal;
import java.util.Collection;
import java.util.List;

import io.tierlimit.logging.OnceLogger;
import io.tierlimit.spi.AuthoritiesResolver;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.ClaimResolver;
import io.tierlimit.spi.InvalidFactException;
import io.tierlimit.spi.PlanResolver;
import org.jspecify.annotations.Nullable;

/**
 * What follows from who a caller is: a name, authorities, claims and a plan.
 */
public final class Identities {

	private static final String USER_KEY = "tierlimit.user.key";

	private final @Nullable CallerExpression userKey;

	private final AuthoritiesResolver authorities;

	private final ClaimResolver claims;

	private final PlanResolver plans;

	private final OnceLogger warnings = new OnceLogger(Identities.class);

	/**
	 * Creates identities.
	 * @param userKey makes the user's name of {@code user}, {@code authorities} and
	 * {@code claim('x')}; {@code null}: the principal's own name
	 * @param authorities reads a principal's authorities
	 * @param claims reads a principal's claims
	 * @param plans tells a caller's plan
	 */
	public Identities(@Nullable CallerExpression userKey, AuthoritiesResolver authorities, ClaimResolver claims,
			PlanResolver plans) {
		this.userKey = userKey;
		this.authorities = authorities;
		this.claims = claims;
		this.plans = plans;
	}

	/**
	 * The user's name. Where the expression finds none it is the principal's own, which
	 * is said once: nobody who is authenticated is anonymous for that.
	 */
	@Nullable String user(Principal principal) {
		String name = principal.getName();
		if (this.userKey == null) {
			return name;
		}
		try {
			String key = this.userKey.evaluateKey(new Named(principal));
			if (key != null) {
				return key;
			}
			this.warnings.warn(USER_KEY, "Users have their own name where their key '" + this.userKey + "' finds none",
					null);
		}
		catch (RuntimeException ex) {
			this.warnings.warn(USER_KEY, "Users have their own name where their key '" + this.userKey + "' fails", ex);
		}
		return name;
	}

	Collection<String> authorities(Principal principal) {
		return List.copyOf(this.authorities.resolve(principal));
	}

	@Nullable Object claim(Principal principal, String name) {
		return this.claims.resolve(principal, name);
	}

	/**
	 * The caller's plan; none where the resolver fails, which is logged once.
	 * @throws InvalidFactException if the resolver needs a fact that cannot be read
	 */
	@Nullable String plan(Caller caller) {
		try {
			return this.plans.resolve(caller);
		}
		catch (RuntimeException ex) {
			InvalidFactException invalid = InvalidFactException.find(ex);
			if (invalid != null) {
				throw invalid;
			}
			this.warnings.warn(PlanResolver.class, "Callers have no plan where the PlanResolver fails", ex);
			return null;
		}
	}

	/** Somebody of whom no more is known than the principal. */
	private final class Named implements Caller {

		private final Principal principal;

		private Named(Principal principal) {
			this.principal = principal;
		}

		@Override
		public @Nullable String user() {
			return this.principal.getName();
		}

		@Override
		public Collection<String> authorities() {
			return Identities.this.authorities(this.principal);
		}

		@Override
		public @Nullable Object claim(String name) {
			return Identities.this.claim(this.principal, name);
		}

	}

}
