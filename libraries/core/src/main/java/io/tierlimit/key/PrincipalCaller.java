package io.tierlimit.key;

import java.security.Principal;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import io.tierlimit.spi.Caller;
import io.tierlimit.spi.InvalidRequestValueException;
import org.jspecify.annotations.Nullable;

/**
 * A caller with a principal. The user, the authorities and the plan are resolved from the
 * principal once, when they are needed. Thread-safe, because the code that serves a
 * request may call annotated methods in parallel.
 */
public abstract class PrincipalCaller implements Caller {

	private final IdentityResolver identities;

	/**
	 * Created when the first fact is resolved. Reentrant, because a resolver may read
	 * another fact of the same caller.
	 */
	private @Nullable ReentrantLock lock;

	private boolean userResolved;

	private @Nullable String user;

	private @Nullable Collection<String> authorities;

	private boolean planResolved;

	private @Nullable String plan;

	/**
	 * Creates a caller.
	 * @param identities resolves the name, the authorities, the claims and the plan
	 */
	protected PrincipalCaller(IdentityResolver identities) {
		this.identities = identities;
	}

	/**
	 * The authenticated principal.
	 * @return the principal, or {@code null} for an anonymous caller
	 */
	protected abstract @Nullable Principal principal();

	@Override
	public final @Nullable String user() {
		return locked(() -> {
			if (!this.userResolved) {
				Principal principal = principal();
				this.user = (principal != null) ? this.identities.user(principal, this) : null;
				this.userResolved = true;
			}
			return this.user;
		});
	}

	@Override
	public final @Nullable Object claim(String name) {
		Principal principal = principal();
		return (principal != null) ? this.identities.claim(principal, name) : null;
	}

	@Override
	public final Collection<String> authorities() {
		return locked(() -> {
			Collection<String> resolved = this.authorities;
			if (resolved == null) {
				Principal principal = principal();
				resolved = (principal != null) ? this.identities.authorities(principal) : List.of();
				this.authorities = resolved;
			}
			return resolved;
		});
	}

	@Override
	public final @Nullable String plan() {
		return locked(this::resolvePlan);
	}

	private @Nullable String resolvePlan() {
		if (!this.planResolved) {
			// Set first, so that a resolver that reads the plan gets no plan.
			this.planResolved = true;
			try {
				this.plan = this.identities.plan(this);
			}
			catch (InvalidRequestValueException ex) {
				this.planResolved = false;
				throw ex;
			}
		}
		return this.plan;
	}

	/**
	 * Resolves a fact while no other thread resolves a fact of this caller.
	 * @param <R> the type of the fact
	 * @param fact resolves the fact, or returns the resolved value
	 * @return the fact
	 */
	protected final <R extends @Nullable Object> R locked(Supplier<R> fact) {
		ReentrantLock lock = lock();
		lock.lock();
		try {
			return fact.get();
		}
		finally {
			lock.unlock();
		}
	}

	/**
	 * Only creates the lock: facts are resolved within the lock, not within this monitor.
	 */
	private synchronized ReentrantLock lock() {
		ReentrantLock known = this.lock;
		if (known == null) {
			known = new ReentrantLock();
			this.lock = known;
		}
		return known;
	}

}
