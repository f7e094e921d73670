package io.tierlimit.sample;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.tierlimit.PermitRequest;
import io.tierlimit.junit.Poll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.web.server.LocalServerPort;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the exports of the catalog: two of each user at the same time. An export writes a
 * row every two seconds, and ends with the fifth row.
 */
@ShopTest
@Tag("slow")
class ExportTests {

	private static final String EXPORT = "/live/export";

	private static final Duration ROW = Duration.ofSeconds(2);

	private static final Duration ALL_ROWS = ROW.multipliedBy(5);

	private final Shop shop;

	private final int port;

	ExportTests(Shop shop, @LocalServerPort int port) {
		this.shop = shop;
		this.port = port;
	}

	@AfterEach
	void everyPermitIsReleased() {
		this.shop.advance(ALL_ROWS);
		awaitFree("fred", 2);
		awaitFree("paula", 2);
	}

	@Test
	void rowsAreStreamed() throws IOException {
		try (Download export = this.shop.download("fred", EXPORT)) {
			assertThat(export.status()).isEqualTo(200);
			assertThat(export.field("Content-Type")).isEqualTo("text/csv");
			assertThat(export.readLine()).isEqualTo("id,name,price");
			this.shop.advance(ROW);
			assertThat(export.readLine()).isEqualTo("1,Espresso cup,9.50");
			this.shop.advance(ROW);
			assertThat(export.readLine()).isEqualTo("2,Saucer,4.20");
			this.shop.advance(ALL_ROWS);
			assertThat(export.readAll()).isEqualTo("3,Milk jug,18.00\n4,Teapot,35.00\n5,Tea cup,11.00\n");
		}
	}

	@Test
	void thirdExportOfAUserIsRejectedUntilOneIsComplete() throws IOException {
		try (Download first = this.shop.download("fred", EXPORT)) {
			assertThat(first.field("RateLimit")).isEqualTo("\"live-exports\";r=1");
			this.shop.advance(ROW);
			try (Download second = this.shop.download("fred", EXPORT)) {
				assertThat(second.field("RateLimit")).isEqualTo("\"live-exports\";r=0");
				assertRejected(this.shop.getAs("fred", EXPORT));
				this.shop.advance(ALL_ROWS.minus(ROW));
				assertThat(first.readAll()).contains("5,Tea cup");
				awaitFree("fred", 1);
				try (Download next = this.shop.download("fred", EXPORT)) {
					assertThat(next.status()).isEqualTo(200);
					assertRejected(this.shop.getAs("fred", EXPORT));
					this.shop.advance(ALL_ROWS);
				}
			}
		}
	}

	private static void assertRejected(Reply third) {
		assertThat(third).isRateLimited().violates("live-exports").hasRemaining("live-exports", 0);
		assertThat(third.field("RateLimit-Policy")).isEqualTo("\"live-exports\";q=2;qu=\"concurrent-requests\"");
		assertThat(third.field("RateLimit")).isEqualTo("\"live-exports\";r=0");
		assertThat(third.fields().map()).doesNotContainKey("retry-after");
	}

	@Test
	void otherUsersHaveTheirOwnPermits() throws IOException {
		List<Download> exports = new ArrayList<>();
		for (String user : List.of("fred", "fred", "paula", "paula", "emma")) {
			exports.add(this.shop.download(user, EXPORT));
		}
		assertThat(exports).extracting(Download::status).containsOnly(200);
		assertRejected(this.shop.getAs("paula", EXPORT));
		this.shop.advance(ALL_ROWS);
		for (Download export : exports) {
			export.close();
		}
	}

	@Test
	void exportWhoseClientHasDisconnectedReleasesItsPermit() throws IOException {
		try (Socket client = new Socket(InetAddress.getLoopbackAddress(), this.port)) {
			String request = "GET " + EXPORT + " HTTP/1.1\r\nHost: shop\r\nAuthorization: " + Shop.basic("fred")
					+ "\r\n\r\n";
			client.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
			BufferedReader response = new BufferedReader(
					new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII));
			assertThat(response.lines().anyMatch("id,name,price"::equals)).isTrue();
			assertThat(free("fred")).isEqualTo(1);
			// Resets the connection, instead of closing it.
			client.setSoLinger(true, 0);
		}
		this.shop.advance(ROW);
		awaitFree("fred", 2);
	}

	@Test
	void anonymousCallersHaveNoExports() {
		assertThat(this.shop.get(EXPORT).status()).isEqualTo(403);
	}

	private void awaitFree(String user, long permits) {
		Poll.until(() -> free(user) == permits, () -> "Free permits of " + user + ": " + free(user));
	}

	private long free(String user) {
		return this.shop.leftOf(PermitRequest.of("live-exports").user(user));
	}

}
