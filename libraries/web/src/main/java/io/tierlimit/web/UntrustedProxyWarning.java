package io.tierlimit.web;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

import io.tierlimit.web.proxy.ForwardedHeader;
import jakarta.servlet.http.HttpServletRequest;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Logs a warning once if a rule applies to a request that has passed through a proxy, but
 * no proxy is trusted. Behind a load balancer, all clients would share one bucket.
 */
public final class UntrustedProxyWarning {

	private static final Log logger = LogFactory.getLog(UntrustedProxyWarning.class);

	private final AtomicBoolean pending = new AtomicBoolean(true);

	private final BooleanSupplier applies;

	/**
	 * Creates a warning.
	 * @param applies whether no proxy is trusted; called once, at the first such request
	 */
	public UntrustedProxyWarning(BooleanSupplier applies) {
		this.applies = applies;
	}

	void check(HttpServletRequest request) {
		if (!this.pending.getPlain()) {
			return;
		}
		for (ForwardedHeader header : ForwardedHeader.values()) {
			if (request.getHeader(header.headerName()) != null && this.pending.compareAndSet(true, false)
					&& this.applies.getAsBoolean()) {
				logger.warn("A request has the header " + header.headerName() + ", but no proxy is trusted. If this "
						+ "application is behind a proxy or a load balancer, all its clients share the proxy's address "
						+ "and one bucket: set tierlimit.client-ip.trusted-proxies. Otherwise a client "
						+ "has forged the header, and it is ignored. This warning is logged once.");
			}
		}
	}

}
