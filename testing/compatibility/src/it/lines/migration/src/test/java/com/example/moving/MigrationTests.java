package com.example.moving;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

/** Sends requests to the paths of the old library and of Tierlimit. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
abstract class MigrationTests {

	private final HttpClient client = HttpClient.newHttpClient();

	@Value("http://localhost:${local.server.port}")
	private String application;

	List<Integer> statuses(int requests, String path, String... headers) throws Exception {
		List<Integer> statuses = new ArrayList<>();
		for (int i = 0; i < requests; i++) {
			statuses.add(get(path, headers).statusCode());
		}
		return statuses;
	}

	HttpResponse<String> get(String path, String... headers) throws IOException, InterruptedException {
		return send(request(path, headers));
	}

	int post(String path) throws IOException, InterruptedException {
		return send(request(path).POST(BodyPublishers.noBody())).statusCode();
	}

	private HttpRequest.Builder request(String path, String... headers) {
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(this.application + path));
		return (headers.length == 0) ? request : request.headers(headers);
	}

	private HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
		return this.client.send(request.build(), BodyHandlers.ofString());
	}

}
