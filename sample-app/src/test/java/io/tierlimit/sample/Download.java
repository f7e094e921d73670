package io.tierlimit.sample;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.StringWriter;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/**
 * A response whose body is still received.
 */
final class Download implements AutoCloseable {

	private final HttpResponse<InputStream> response;

	private final BufferedReader body;

	Download(HttpResponse<InputStream> response) {
		this.response = response;
		this.body = new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
	}

	int status() {
		return this.response.statusCode();
	}

	@Nullable String field(String name) {
		return this.response.headers().firstValue(name).orElse(null);
	}

	/** Waits for the next line. */
	@Nullable String readLine() throws IOException {
		return this.body.readLine();
	}

	/** Waits for the end, and returns what has not been read before. */
	String readAll() throws IOException {
		StringWriter rest = new StringWriter();
		this.body.transferTo(rest);
		return rest.toString();
	}

	/** Closes the connection, unless the whole body has been read. */
	@Override
	public void close() throws IOException {
		this.body.close();
	}

}
