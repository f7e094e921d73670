package io.tierlimit.web;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

import io.tierlimit.web.address.ForwardedHeader;
import jakarta.servlet.http.HttpServletRequest;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Says once that a request came through a proxy though none is trusted: behind a load
 * balancer everybody would share one bucket.
 */
public final class UntrustedProxyWarning {

	private static final Log logger = LogFactory.getLog(UntrustedProxyWarning.class);

	private final AtomicBoolean pending = new AtomicBoolean(true);

	private final BooleanSupplier applies;

	/**
	 * Creates a warning.
	 * @param applies tells whether nobody trusts a proxy; asked once, when such a request
	 * comes
	 */
	public UntrustedProxyWarning(BooleanSupplier applies) {
		this.applies = applies;
	}

	void look(HttpServletRequest request) {
		if (!this.pending.getPlain()) {
			return;
		}
		for (ForwardedHeader header : ForwardedHeader.values()) {
			if (request.getHeader(header.fieldName()) != null && this.pending.compareAndSet(true, false)
					&& this.applies.getAsBoolean()) {
				logger.warn("A request came with " + header.fieldName() + ", but no proxy is trusted. If this "
						+ "application is behind a proxy or a load balancer, all its clients share the proxy's address "
						+ "and one bucket: set tierlimit.client-ip.trusted-proxies. If it is not, somebody pretends, "
						+ "to no effect. This is said once.");
			}
		}
	}

}
