package io.tierlimit.web;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import io.tierlimit.RateLimitExceededException;
import io.tierlimit.Verdict;
import io.tierlimit.evaluation.CombinedVerdict;
import io.tierlimit.evaluation.RateLimitTransaction;
import io.tierlimit.spi.web.RateLimitRejectionHandler;
import io.tierlimit.web.header.RateLimitHeaders;
import io.tierlimit.web.header.RejectionReason;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

/**
 * Writes the headers of allowed requests, and the responses to rejected requests. No
 * other class of the limiter changes the response. This class neither decides nor
 * refunds.
 *
 * @param headers formats a verdict
 * @param cors lets scripts of other origins read the response
 * @param rejections writes the body of a rejection
 * @param exceptionHandlers handle a rejection by a handler's annotation first
 */
public record RateLimitResponses(RateLimitHeaders headers, CorsResponseHeaders cors,
		RateLimitRejectionHandler rejections, ExceptionHandlerDelegate exceptionHandlers) {

	private static final Set<String> BODY_HEADERS = Set.of("Content-Type", "Content-Length", "Content-Encoding",
			"Content-Language", "Content-Disposition", "Content-Range", "ETag", "Last-Modified");

	/**
	 * Writes the headers of an allowed request. A preflight gets no headers, because
	 * scripts cannot read them, and the charge is refunded.
	 */
	void write(RateLimitExchange exchange, HttpServletRequest request, HttpServletResponse response) {
		RateLimitTransaction transaction = exchange.transaction();
		if (transaction != null && !exchange.isPreflight() && !response.isCommitted()) {
			write(transaction.verdict(), exchange, request, response);
		}
	}

	/** Replaces the headers of an earlier evaluation of the request. */
	private void write(Verdict verdict, @Nullable RateLimitExchange exchange, HttpServletRequest request,
			HttpServletResponse response) {
		Set<String> written = this.headers.write(verdict, response::setHeader);
		Set<String> outdated = (exchange != null) ? exchange.replaceHeaders(written) : Set.of();
		if (!outdated.isEmpty()) {
			outdated.forEach((name) -> response.setHeader(name, null));
		}
		this.cors.expose(written, request, response);
	}

	/**
	 * Writes the response if a filter, or the check before the handler, rejects the
	 * request.
	 */
	void reject(Verdict verdict, RateLimitExchange exchange, HttpServletRequest request, HttpServletResponse response)
			throws ServletException, IOException {
		this.cors.allow(exchange, request, response);
		Handler handler = rejectingHandler(exchange);
		if (handler == null || !this.exceptionHandlers.answer(new RateLimitExceededException(verdict), handler, request,
				response)) {
			answer(verdict, exchange, request, response);
		}
	}

	/** The handler whose annotation has rejected the request. */
	private static @Nullable Handler rejectingHandler(RateLimitExchange exchange) {
		RateLimitTransaction transaction = exchange.transaction();
		return (transaction != null && transaction.isRejectedOnlyByHandler()) ? exchange.handler() : null;
	}

	/**
	 * Replaces the response that a servlet or a handler began before it threw a
	 * rejection. The headers of the response are kept, except headers that describe the
	 * body.
	 * @param verdict a verdict that does not allow the request
	 * @param request the request
	 * @param response the response; not committed
	 * @throws IOException if the response cannot be written
	 * @throws ServletException if the rejection handler fails otherwise
	 */
	public void replace(Verdict verdict, HttpServletRequest request, HttpServletResponse response)
			throws IOException, ServletException {
		discardBody(response);
		answer(verdict, RateLimitExchange.of(request), request, response);
	}

	/**
	 * Discards the body. Afterwards, either the stream or the writer can be used,
	 * whichever was used before.
	 */
	private static void discardBody(HttpServletResponse response) {
		Map<String, List<String>> kept = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
		response.getHeaderNames().forEach((name) -> kept.put(name, List.copyOf(response.getHeaders(name))));
		BODY_HEADERS.forEach(kept::remove);
		response.reset();
		kept.forEach((name, values) -> values.forEach((value) -> response.addHeader(name, value)));
	}

	/**
	 * Sets status and headers from all decisions for the request, and calls the rejection
	 * handler for the body.
	 */
	private void answer(Verdict verdict, @Nullable RateLimitExchange exchange, HttpServletRequest request,
			HttpServletResponse response) throws IOException, ServletException {
		RateLimitTransaction transaction = (exchange != null) ? exchange.transaction() : null;
		Verdict all = (transaction != null) ? CombinedVerdict.of(transaction.verdict(), verdict) : verdict;
		write(all, exchange, request, response);
		response.setStatus(RejectionReason.of(all).status());
		this.rejections.handle(all, request, response);
	}

}
