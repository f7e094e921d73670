package com.example.cafe

import io.tierlimit.RateLimitExceededException
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.springframework.beans.factory.annotation.Autowired
import org.springframework.beans.factory.annotation.Value
import org.springframework.boot.test.context.SpringBootTest
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse
import java.net.http.HttpResponse.BodyHandlers

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
class CafeApplicationTests {

	@Value("http://localhost:\${local.server.port}")
	private lateinit var cafe: String

	@Autowired
	private lateinit var handlers: Cafe

	@Autowired
	private lateinit var kitchen: Kitchen

	@Test
	fun suspendingHandlerIsLimitedBeforeItStarts() {
		val before = this.handlers.served.get()
		assertThat(get("/menu").statusCode()).isEqualTo(200)
		assertThat(get("/menu").statusCode()).isEqualTo(200)
		assertRejected(get("/menu"), "Cafe.menu")
		assertThat(this.handlers.served.get() - before).isEqualTo(2)
	}

	@Test
	fun suspendingHandlerIsLimitedByItsArgument() {
		val before = this.handlers.served.get()
		assertThat(get("/tables/a").statusCode()).isEqualTo(200)
		assertThat(get("/tables/a").statusCode()).isEqualTo(200)
		assertRejected(get("/tables/a"), "Cafe.table")
		assertThat(get("/tables/b").body()).startsWith("Table b")
		assertThat(this.handlers.served.get() - before).isEqualTo(3)
	}

	@Test
	fun handlerThatDoesNotSuspendIsLimitedByItsArguments() {
		assertThat(get("/dishes/soup/2").body()).isEqualTo("2 soup")
		assertRejected(get("/dishes/soup/1"), "Cafe.dish")
		assertThat(get("/dishes/cake/1").statusCode()).isEqualTo(200)
	}

	@Test
	fun suspendingServiceIsLimitedWithinARequestAndElsewhere() {
		assertThat(get("/orders/soup").body()).isEqualTo("soup")
		assertThat(get("/orders/soup").statusCode()).isEqualTo(200)
		assertRejected(get("/orders/soup"), "Kitchen.cook")
		runBlocking {
			assertThat(this@CafeApplicationTests.kitchen.cook(Order("cake", 2))).isEqualTo("cake")
			assertThrows<RateLimitExceededException> { this@CafeApplicationTests.kitchen.cook(Order("cake", 1)) }
		}
	}

	private fun assertRejected(response: HttpResponse<String>, rule: String) {
		assertThat(response.statusCode()).isEqualTo(429)
		assertThat(response.body()).contains("\"violated-policies\":[\"$rule\"]")
		assertThat(response.headers().firstValue("Retry-After")).isPresent()
	}

	private fun get(path: String): HttpResponse<String> =
		HttpClient.newHttpClient().send(HttpRequest.newBuilder(URI.create(this.cafe + path)).build(), BodyHandlers.ofString())

}
