package io.tierlimit.key;

import java.security.Principal;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.jspecify.annotations.Nullable;

/**
 * What follows from who a caller is: authorities and a plan.
 */
public final class Identities {

	private static final Log logger = LogFactory.getLog(Identities.class);

	private final AuthoritiesResolver authorities;

	private final PlanResolver plans;

	private final AtomicBoolean warned = new AtomicBoolean();

	/**
	 * Creates identities.
	 * @param authorities reads a principal's authorities
	 * @param plans tells a caller's plan
	 */
	public Identities(AuthoritiesResolver authorities, PlanResolver plans) {
		this.authorities = authorities;
		this.plans = plans;
	}

	Collection<String> authorities(Principal principal) {
		return List.copyOf(this.authorities.resolve(principal));
	}

	/** The caller's plan; none where the resolver fails, which is said once. */
	@Nullable String plan(Caller caller) {
		try {
			return this.plans.resolve(caller);
		}
		catch (RuntimeException ex) {
			if (this.warned.compareAndSet(false, true)) {
				logger.warn("Callers have no plan where the PlanResolver fails", ex);
			}
			return null;
		}
	}

}
