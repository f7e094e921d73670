package io.tierlimit.web;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.cors.CorsProcessor;
import org.springframework.web.cors.DefaultCorsProcessor;

/**
 * Adds the CORS headers of the application to a response that is written before the
 * application's CORS handling, so that scripts of other origins can read the response.
 */
public final class CorsResponseHeaders {

	private final Supplier<List<CorsConfigurationSource>> sources;

	private final boolean exposes;

	private final CorsProcessor processor = new DefaultCorsProcessor() {

		@Override
		protected void rejectRequest(ServerHttpResponse response) {
			// The request is rejected anyway; without headers, a script cannot read the
			// reason.
		}

	};

	/**
	 * Creates headers.
	 * @param sources configurations that do not belong to a handler mapping; read for
	 * requests of other origins
	 * @param exposes whether scripts may read the rate limit headers of all responses
	 */
	public CorsResponseHeaders(Supplier<List<CorsConfigurationSource>> sources, boolean exposes) {
		this.sources = sources;
		this.exposes = exposes;
	}

	/**
	 * Adds the headers that allow a script to read the response, if the origin of the
	 * request is allowed.
	 */
	void allow(RateLimitExchange exchange, HttpServletRequest request, HttpServletResponse response)
			throws IOException {
		if (request.getHeader(HttpHeaders.ORIGIN) == null) {
			return;
		}
		CorsConfiguration configuration = configuration(request);
		Handler handler = (configuration == null) ? exchange.handler() : null;
		if (handler != null) {
			configuration = handler.cors();
		}
		if (configuration != null) {
			this.processor.processRequest(configuration, request, response);
		}
	}

	private @Nullable CorsConfiguration configuration(HttpServletRequest request) {
		for (CorsConfigurationSource source : this.sources.get()) {
			CorsConfiguration configuration = source.getCorsConfiguration(request);
			if (configuration != null) {
				return configuration;
			}
		}
		return null;
	}

	/**
	 * Lets scripts read headers, in addition to the headers that the application exposes.
	 */
	void expose(Collection<String> fields, HttpServletRequest request, HttpServletResponse response) {
		if (!this.exposes || fields.isEmpty() || request.getHeader(HttpHeaders.ORIGIN) == null) {
			return;
		}
		String exposed = String.join(", ", fields);
		if (!response.getHeaders(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS).contains(exposed)) {
			response.addHeader(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
		}
	}

}
