package io.tierlimit.web;

import java.util.concurrent.atomic.AtomicBoolean;

import io.tierlimit.key.AuthoritiesResolver;
import io.tierlimit.key.Caller;
import io.tierlimit.key.PlanResolver;
import jakarta.servlet.http.HttpServletRequest;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.jspecify.annotations.Nullable;

/**
 * Tells who asks by an HTTP request.
 */
public final class HttpCallers {

	private static final Log logger = LogFactory.getLog(HttpCallers.class);

	private final AuthoritiesResolver authorities;

	private final PlanResolver plans;

	private final EndpointLookup endpoints;

	private final AtomicBoolean warned = new AtomicBoolean();

	/**
	 * Creates callers.
	 * @param authorities reads a principal's authorities
	 * @param plans tells a caller's plan
	 * @param endpoints finds the mapping that will serve the request
	 */
	public HttpCallers(AuthoritiesResolver authorities, PlanResolver plans, EndpointLookup endpoints) {
		this.authorities = authorities;
		this.plans = plans;
		this.endpoints = endpoints;
	}

	/**
	 * The caller of a request. Facts that take a look-up are looked up once, if they are
	 * asked for.
	 * @param request the request
	 * @return its caller
	 */
	public Caller of(HttpServletRequest request) {
		return new HttpCaller(request, this);
	}

	AuthoritiesResolver authorities() {
		return this.authorities;
	}

	EndpointLookup endpoints() {
		return this.endpoints;
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
