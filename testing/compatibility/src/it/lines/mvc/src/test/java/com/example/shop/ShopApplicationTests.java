package com.example.shop;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import io.tierlimit.test.AutoConfigureSimulatedTicker;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.core.io.ClassPathResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that each version of Spring Boot sends the bytes in responses.http, except for
 * the date: ten requests are allowed, and the next ones are rejected.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@AutoConfigureSimulatedTicker
class ShopApplicationTests {

	@Value("${local.server.port}")
	private int port;

	@Test
	void responsesAreTheSameWithEachLineOfSpringBoot() throws IOException {
		StringBuilder responses = new StringBuilder();
		for (int i = 0; i < 12; i++) {
			String request = ((i == 1 || i == 11) ? "HEAD" : "GET") + " /api/products HTTP/1.1";
			responses.append("### ").append(request).append("\r\n").append(send(request)).append("\r\n\r\n");
		}
		String expected = new ClassPathResource("responses.http").getContentAsString(StandardCharsets.ISO_8859_1);
		assertThat(responses.toString()).doesNotContainPattern("(?<!\\r)\\n");
		assertThat(responses.toString().replace("\r\n", "\n")).isEqualTo(expected);
	}

	@Test
	void applicationNeedsNoCode() throws IOException {
		try (Stream<Path> sources = Files.walk(Path.of("src", "main", "java"))) {
			assertThat(sources.filter(Files::isRegularFile)).isNotEmpty()
				.allSatisfy((source) -> assertThat(source).content().doesNotContainIgnoringCase("tierlimit"));
		}
	}

	private String send(String request) throws IOException {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), this.port)) {
			String head = request + "\r\nHost: localhost\r\nConnection: close\r\n\r\n";
			socket.getOutputStream().write(head.getBytes(StandardCharsets.ISO_8859_1));
			String response = new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
			return response.replaceFirst("(?m)^Date: [^\r]*", "Date: *");
		}
	}

}
