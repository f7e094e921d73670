package com.example.ledger;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
class LedgerApplicationTests {

	@Value("http://localhost:${local.server.port}")
	private String ledger;

	@Autowired
	private JdbcTemplate database;

	@Test
	void rowsAreTheRulesAndARejectionIsARow() throws Exception {
		for (int status : List.of(200, 200, 429)) {
			assertThat(status()).isEqualTo(status);
		}
		List<Map<String, Object>> rows = Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.ignoreException(BadSqlGrammarException.class)
			.until(() -> this.database.queryForList("SELECT * FROM tierlimit_rejection"), (found) -> !found.isEmpty());
		assertThat(rows.get(0)).containsEntry("rule_id", "everybody")
			.containsEntry("endpoint", "GET /accounts")
			.containsEntry("address", "127.0.0.1")
			.containsEntry("remaining", 0L);
		this.database.update("UPDATE tierlimit_rule SET enabled = FALSE");
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> status() == 200);
	}

	private int status() throws Exception {
		HttpRequest request = HttpRequest.newBuilder(URI.create(this.ledger + "/accounts")).build();
		return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).statusCode();
	}

}
