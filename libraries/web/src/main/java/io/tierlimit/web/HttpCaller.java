package io.tierlimit.web;

import java.lang.reflect.Method;
import java.security.Principal;
import java.util.Objects;

import io.tierlimit.key.PrincipalCaller;
import io.tierlimit.spi.Endpoint;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import org.jspecify.annotations.Nullable;

/**
 * The caller of an HTTP request, with the values of the request. Values that require a
 * look-up are looked up once, when they are first read.
 */
final class HttpCaller extends PrincipalCaller {

	private final HttpServletRequest request;

	private final HttpCallerFactory factory;

	private final boolean arrived;

	private boolean authenticated;

	private @Nullable Principal principal;

	/**
	 * {@code null} until it is determined. If several threads determine it, the results
	 * are equal.
	 */
	private @Nullable String address;

	private boolean handlerFound;

	private @Nullable Handler handler;

	HttpCaller(HttpServletRequest request, HttpCallerFactory factory, boolean arrived) {
		super(factory.identities());
		this.request = request;
		this.factory = factory;
		this.arrived = arrived;
	}

	/**
	 * The same caller after authentication, with a principal that does not depend on the
	 * thread.
	 */
	HttpCaller afterAuthentication(HttpServletRequest wrapper, @Nullable Principal principal) {
		HttpCaller caller = new HttpCaller(wrapper, this.factory, this.arrived);
		caller.authenticated = true;
		caller.principal = principal;
		caller.handler = this.handler;
		caller.handlerFound = this.handlerFound;
		return caller;
	}

	@Override
	public @Nullable String ip() {
		String known = this.address;
		if (known == null) {
			known = this.factory.addresses().of(this.request);
			this.address = known;
		}
		return known;
	}

	@Override
	protected @Nullable Principal principal() {
		return this.authenticated ? this.principal : this.request.getUserPrincipal();
	}

	@Override
	public String method() {
		return this.request.getMethod();
	}

	@Override
	public String path() {
		return RequestPaths.normalized(this.request);
	}

	@Override
	public @Nullable Endpoint endpoint() {
		Handler found = handler();
		return (found != null) ? found.endpoint() : null;
	}

	@Nullable Handler handler() {
		return locked(() -> {
			if (!this.handlerFound) {
				this.handler = this.factory.handlers().find(this.request, this.arrived);
				this.handlerFound = true;
			}
			return this.handler;
		});
	}

	/** Whether a handler was looked up and its mapping has no pattern. */
	boolean hasUnmappedHandler() {
		return locked(() -> this.handler != null && this.handler.endpoint() == null);
	}

	/**
	 * Whether the method that is about to serve the request is the expected method. This
	 * is the case if no handler was looked up, or if the look-up or a second look-up
	 * found this method.
	 */
	boolean expects(@Nullable Method method, HttpServletRequest reached) {
		Method expected = method(this.handler);
		return !this.handlerFound || Objects.equals(expected, method)
				|| Objects.equals(expected, method(this.factory.handlers().find(reached, true)));
	}

	private static @Nullable Method method(@Nullable Handler handler) {
		return (handler != null) ? handler.method() : null;
	}

	@Override
	public @Nullable String header(String name) {
		return this.request.getHeader(name);
	}

	@Override
	public @Nullable String param(String name) {
		return ContentTypes.isForm(this.request) ? Parameters.read(this.request, () -> this.request.getParameter(name))
				: QueryParameters.of(this.request).getFirst(name);
	}

	@Override
	public @Nullable Object requestAttribute(String name) {
		return this.request.getAttribute(name);
	}

	@Override
	public @Nullable Object sessionAttribute(String name) {
		HttpSession session = this.request.getSession(false);
		try {
			return (session != null) ? session.getAttribute(name) : null;
		}
		catch (IllegalStateException ex) {
			return null; // another request has ended the session
		}
	}

}
