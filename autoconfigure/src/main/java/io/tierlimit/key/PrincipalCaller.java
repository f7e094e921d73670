package io.tierlimit.key;

import java.security.Principal;
import java.util.Collection;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A caller known by a principal, from which authorities and plan follow. Each is resolved
 * once, if it is asked for.
 */
public abstract class PrincipalCaller implements Caller {

	private final Identities identities;

	private boolean userResolved;

	private @Nullable String user;

	private @Nullable Collection<String> authorities;

	private boolean planResolved;

	private @Nullable String plan;

	/**
	 * Creates a caller.
	 * @param identities tells name, authorities, claims and plan
	 */
	protected PrincipalCaller(Identities identities) {
		this.identities = identities;
	}

	/**
	 * Who is authenticated.
	 * @return the principal, or {@code null} for an anonymous caller
	 */
	protected abstract @Nullable Principal principal();

	@Override
	public final @Nullable String user() {
		if (!this.userResolved) {
			Principal principal = principal();
			this.user = (principal != null) ? this.identities.user(principal) : null;
			this.userResolved = true;
		}
		return this.user;
	}

	@Override
	public final @Nullable Object claim(String name) {
		Principal principal = principal();
		return (principal != null) ? this.identities.claim(principal, name) : null;
	}

	@Override
	public final Collection<String> authorities() {
		Collection<String> known = this.authorities;
		if (known == null) {
			Principal principal = principal();
			known = (principal != null) ? this.identities.authorities(principal) : List.of();
			this.authorities = known;
		}
		return known;
	}

	@Override
	public final @Nullable String plan() {
		if (!this.planResolved) {
			// First: a resolver that asks for the plan finds none.
			this.planResolved = true;
			try {
				this.plan = this.identities.plan(this);
			}
			catch (InvalidFactException ex) {
				this.planResolved = false;
				throw ex;
			}
		}
		return this.plan;
	}

}
