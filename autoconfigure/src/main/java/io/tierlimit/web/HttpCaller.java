package io.tierlimit.web;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.Principal;

import io.tierlimit.key.Endpoint;
import io.tierlimit.key.Identities;
import io.tierlimit.key.PrincipalCaller;
import io.tierlimit.web.address.ClientAddresses;
import jakarta.servlet.http.HttpServletRequest;

import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;

/**
 * The facts of an HTTP request. Those that take a look-up are looked up once, if they are
 * asked for.
 */
final class HttpCaller extends PrincipalCaller {

	private final HttpServletRequest request;

	private final Identities identities;

	private final HandlerLookup handlers;

	private final ClientAddresses addresses;

	private boolean addressFound;

	private @Nullable String address;

	private boolean handlerFound;

	private @Nullable Handler handler;

	HttpCaller(HttpServletRequest request, Identities identities, ClientAddresses addresses, HandlerLookup handlers) {
		super(identities);
		this.request = request;
		this.addresses = addresses;
		this.identities = identities;
		this.handlers = handlers;
	}

	/** The same caller with what those who wrapped the request know of him. */
	HttpCaller behind(HttpServletRequest wrapper) {
		HttpCaller known = new HttpCaller(wrapper, this.identities, this.addresses, this.handlers);
		known.handler = this.handler;
		known.handlerFound = this.handlerFound;
		return known;
	}

	@Override
	public @Nullable String ip() {
		if (!this.addressFound) {
			this.address = this.addresses.of(this.request);
			this.addressFound = true;
		}
		return this.address;
	}

	@Override
	protected @Nullable Principal principal() {
		return this.request.getUserPrincipal();
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
		if (!this.handlerFound) {
			this.handler = this.handlers.find(this.request);
			this.handlerFound = true;
		}
		return this.handler;
	}

	@Override
	public @Nullable String header(String name) {
		return this.request.getHeader(name);
	}

	@Override
	public @Nullable String param(String name) {
		return isForm() ? this.request.getParameter(name) : queryParam(name);
	}

	private boolean isForm() {
		String type = this.request.getContentType();
		return type != null && type.regionMatches(true, 0, MediaType.APPLICATION_FORM_URLENCODED_VALUE, 0,
				MediaType.APPLICATION_FORM_URLENCODED_VALUE.length());
	}

	/** The container's own look-up would read a multipart body. */
	private @Nullable String queryParam(String name) {
		String query = this.request.getQueryString();
		if (query == null) {
			return null;
		}
		for (String pair : query.split("&", -1)) {
			int equals = pair.indexOf('=');
			if (name.equals(decode((equals < 0) ? pair : pair.substring(0, equals)))) {
				return (equals < 0) ? "" : decode(pair.substring(equals + 1));
			}
		}
		return null;
	}

	private static String decode(String text) {
		try {
			return URLDecoder.decode(text, StandardCharsets.UTF_8);
		}
		catch (IllegalArgumentException ex) {
			return text;
		}
	}

}
