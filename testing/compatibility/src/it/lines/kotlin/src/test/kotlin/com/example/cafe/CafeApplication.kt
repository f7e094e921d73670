package com.example.cafe

import io.tierlimit.RateLimited
import kotlinx.coroutines.delay
import org.springframework.boot.autoconfigure.SpringBootApplication
import org.springframework.boot.runApplication
import org.springframework.stereotype.Service
import org.springframework.web.bind.annotation.GetMapping
import org.springframework.web.bind.annotation.PathVariable
import org.springframework.web.bind.annotation.RestController
import java.util.concurrent.atomic.AtomicInteger

@SpringBootApplication
class CafeApplication

fun main(args: Array<String>) {
	runApplication<CafeApplication>(*args)
}

@RestController
class Cafe(private val kitchen: Kitchen) {

	val served = AtomicInteger()

	@RateLimited(rate = "2/d", scope = ["ip"])
	@GetMapping("/menu")
	suspend fun menu(): String {
		delay(1)
		return "Menu ${this.served.incrementAndGet()}"
	}

	@RateLimited(rate = "2/d", key = "#id")
	@GetMapping("/tables/{id}")
	suspend fun table(@PathVariable id: String): String {
		delay(1)
		return "Table $id ${this.served.incrementAndGet()}"
	}

	@RateLimited(rate = "2/d", key = "#dish", cost = "#portions")
	@GetMapping("/dishes/{dish}/{portions}")
	fun dish(@PathVariable dish: String, @PathVariable portions: Int) = "$portions $dish"

	@GetMapping("/orders/{dish}")
	suspend fun order(@PathVariable dish: String): String = this.kitchen.cook(Order(dish, 1))

}

data class Order(val dish: String, val portions: Int)

@Service
class Kitchen {

	@RateLimited(rate = "2/d", key = "#order.dish", cost = "#order.portions")
	suspend fun cook(order: Order): String {
		delay(1)
		return order.dish
	}

}
