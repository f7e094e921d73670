package io.tierlimit.sample.operations;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Collections;

/**
 * Customers of a shop, at addresses that a trusted proxy reports. Their responses are
 * counted.
 */
final class Customers {

	/** The address of most customers. */
	private static final String OFFICE = "192.0.2.1";

	private final HttpClient client = HttpClient.newHttpClient();

	private final Tally tally = new Tally();

	private final String shop;

	Customers(int port) {
		this.shop = "http://127.0.0.1:" + port;
	}

	Tally tally() {
		return this.tally;
	}

	/** Sends a request of a user. */
	Answer get(String path) {
		return getFrom(OFFICE, path);
	}

	Answer getFrom(String address, String path) {
		return send("", address, path, request(path));
	}

	Answer getAs(String user, String path) {
		return send(user, OFFICE, path, request(path).header("Authorization", basic(user)));
	}

	Answer order(String user, String parameters) {
		return send(user, OFFICE, "/api/orders", post("/api/orders" + parameters, "{\"product\":1,\"quantity\":2}")
			.header("Authorization", basic(user)));
	}

	/** Sends a guess of a password. */
	Answer login() {
		return send("", OFFICE, "/api/login",
				request("/api/login").header("Content-Type", "application/x-www-form-urlencoded")
					.POST(BodyPublishers.ofString("username=fred&password=guess")));
	}

	/** Uploads a price list of a partner, of which the shop writes 10 rows at a time. */
	Answer uploadPrices(int rows) {
		String list = String.join(",", Collections.nCopies(rows, "{\"product\":1,\"price\":9.90}"));
		return send("", OFFICE, "/api/imports",
				post("/api/imports", "[" + list + "]").header("X-Partner-Key", "k-3141"));
	}

	/** The status of a request that no rule applies to. */
	int statusOf(String path, String user) {
		HttpRequest.Builder request = request(path);
		return exchange(user.isEmpty() ? request : request.header("Authorization", basic(user))).statusCode();
	}

	private Answer send(String user, String address, String path, HttpRequest.Builder request) {
		Answer answer = Answer.of(exchange(request.header("X-Forwarded-For", address)));
		this.tally.add(user, address, path, answer);
		return answer;
	}

	private HttpResponse<String> exchange(HttpRequest.Builder request) {
		try {
			return this.client.send(request.build(), BodyHandlers.ofString());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	private HttpRequest.Builder post(String path, String json) {
		return request(path).header("Content-Type", "application/json").POST(BodyPublishers.ofString(json));
	}

	private HttpRequest.Builder request(String path) {
		return HttpRequest.newBuilder(URI.create(this.shop + path));
	}

	private static String basic(String user) {
		return "Basic " + Base64.getEncoder().encodeToString((user + ":secret").getBytes(StandardCharsets.UTF_8));
	}

}
