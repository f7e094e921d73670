package io.tierlimit.sample;

import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the job that writes price lists and reserves its batches: batches of 10 rows, a
 * burst of 20, 10 per second, and up to 40 reserved permits.
 */
@ShopTest
@Tag("slow")
class ImportTests {

	private static final String[] ACME = { "X-Partner-Key", "k-3141" };

	private static final String[] GLOBEX = { "X-Partner-Key", "k-2718" };

	private final Shop shop;

	ImportTests(Shop shop) {
		this.shop = shop;
	}

	@BeforeEach
	void finishEarlierImports() {
		this.shop.nextDay();
	}

	@Test
	void allRowsArriveInOrderAtTheRateOfTheRule() {
		String list = upload(65, ACME);
		assertThat(progress(list, ACME)).isEqualTo("{\"rows\":65,\"written\":0,\"state\":\"RUNNING\"}");
		pass(0);
		for (int tenths = 0; tenths < 45; tenths++) {
			int come = 20 + tenths;
			int written = Math.min(come / 10 * 10, 60);
			assertThat(written(list, ACME)).as("after %s tenths", tenths).isEqualTo(written);
			assertThat(this.shop.get("/api/prices", ACME).body()).isEqualTo(pricesAfter(written));
			pass(100);
		}
		assertThat(progress(list, ACME)).isEqualTo("{\"rows\":65,\"written\":65,\"state\":\"DONE\"}");
		assertThat(this.shop.get("/api/prices", ACME).body()).isEqualTo(pricesAfter(65));
		assertThat(left()).isZero();
		pass(2000);
		assertThat(left()).as("permits that the list of 65 did not need").isEqualTo(20);
	}

	@Test
	void shortListNeitherWaitsForTheEndOfALongOneNorOvertakesIt() {
		String large = upload(200, ACME);
		pass(0);
		String small = upload(5, GLOBEX);
		pass(999);
		assertThat(written(large, ACME)).isEqualTo(20);
		pass(1);
		assertThat(written(large, ACME)).as("reserved before").isEqualTo(30);
		pass(499);
		assertThat(written(small, GLOBEX)).isZero();
		pass(1);
		assertThat(written(small, GLOBEX)).as("reserved next").isEqualTo(5);
		assertThat(written(large, ACME)).isEqualTo(30);
		pass(1000);
		assertThat(written(large, ACME)).isEqualTo(40);
	}

	@Test
	void canceledImportRefundsItsReservationAndKeepsItsWrittenRows() {
		String list = upload(100, ACME);
		pass(0);
		pass(500);
		assertThat(written(list, ACME)).isEqualTo(20);
		assertThat(left()).isZero();
		for (int i = 0; i < 2; i++) {
			assertThat(this.shop.delete(list, ACME).status()).isEqualTo(204);
			assertThat(left()).as("earned since").isEqualTo(5);
		}
		pass(5000);
		assertThat(progress(list, ACME)).isEqualTo("{\"rows\":100,\"written\":20,\"state\":\"CANCELED\"}");
	}

	@Test
	void importIsRejectedWhileTooManyPermitsAreReserved() {
		upload(100, ACME);
		pass(0);
		for (int i = 0; i < 3; i++) {
			upload(10, GLOBEX);
		}
		Reply rejected = this.shop.post("/api/imports", rows(10), GLOBEX);
		assertThat(rejected).isRateLimited().violates("imports").retryAfter(Duration.ofSeconds(1));
		pass(2000);
		upload(10, GLOBEX);
	}

	@Test
	void startedImportTriesAgainWhileTooManyPermitsAreReserved() {
		String list = overtaken();
		pass(899);
		assertThat(written(list, ACME)).isEqualTo(30);
		pass(1);
		pass(4000);
		assertThat(written(list, ACME)).as("reserved after 0.9 s, behind 40 rows").isEqualTo(40);
	}

	@Test
	void importThatIsCanceledBetweenAttemptsRefundsNothing() {
		String list = overtaken();
		this.shop.delete(list, ACME);
		assertThat(this.shop.post("/api/imports", rows(10), GLOBEX)).isRateLimited();
		pass(10_000);
		assertThat(written(list, ACME)).isEqualTo(30);
	}

	/** Starts an import that has just written 30 rows and could not reserve more. */
	private String overtaken() {
		String list = upload(100, ACME);
		pass(0);
		for (int i = 0; i < 3; i++) {
			upload(10, GLOBEX);
		}
		pass(950);
		upload(9, GLOBEX);
		pass(50);
		assertThat(written(list, ACME)).isEqualTo(30);
		return list;
	}

	@Test
	void importIsVisibleToItsPartnerOnly() {
		String list = upload(1, ACME);
		assertThat(this.shop.get(list, GLOBEX).status()).isEqualTo(404);
		assertThat(this.shop.delete(list, GLOBEX).status()).isEqualTo(404);
		assertThat(this.shop.get(list).status()).isEqualTo(403);
		assertThat(this.shop.post("/api/imports", rows(1), "X-Partner-Key", "k-0000").status()).isEqualTo(403);
		assertThat(this.shop.get("/api/prices").status()).isEqualTo(403);
	}

	@Test
	void invalidPriceListIsRejectedAndReservesNothing() {
		for (String rows : new String[] { "[]", "[null]", "[{\"product\":1}]", "[{\"product\":9,\"price\":1}]",
				"[{\"product\":1,\"price\":0}]", "{}" }) {
			assertThat(this.shop.post("/api/imports", rows, ACME).status()).as(rows).isEqualTo(400);
		}
		assertThat(left()).isEqualTo(20);
	}

	/** Returns the address of the import. */
	private String upload(int rows, String[] partner) {
		Reply reply = this.shop.post("/api/imports", rows(rows), partner);
		assertThat(reply.status()).isEqualTo(202);
		return reply.fields().firstValue("Location").orElseThrow();
	}

	/** The given number of rows, each with a different price. */
	private static String rows(int count) {
		return IntStream.range(0, count)
			.mapToObj((row) -> "{\"product\":" + (row % 5 + 1) + ",\"price\":" + (row + 1) + "}")
			.collect(Collectors.joining(",", "[", "]"));
	}

	private static String pricesAfter(int rows) {
		return IntStream.rangeClosed(1, 5)
			.mapToObj((product) -> "\"" + product + "\":" + (rows - 5 + product))
			.collect(Collectors.joining(",", "{", "}"));
	}

	private String progress(String list, String[] partner) {
		return this.shop.get(list, partner).body();
	}

	private int written(String list, String[] partner) {
		return Integer.parseInt(progress(list, partner).replaceAll(".*\"written\":(\\d+).*", "$1"));
	}

	private long left() {
		return this.shop.left("imports", "");
	}

	private void pass(long millis) {
		this.shop.advance(Duration.ofMillis(millis));
	}

}
