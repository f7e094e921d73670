package io.tierlimit.sample.order;

import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import io.tierlimit.sample.catalog.Product;

import org.springframework.stereotype.Component;

/**
 * All orders, in memory.
 */
@Component
class OrderBook {

	private final AtomicLong lastId = new AtomicLong();

	private final Map<Long, Order> orders = new ConcurrentHashMap<>();

	Order add(String customer, Product product, int quantity, boolean express) {
		BigDecimal price = product.price().multiply(BigDecimal.valueOf(quantity));
		Order order = new Order(this.lastId.incrementAndGet(), customer, product.name(), quantity, price, express);
		this.orders.put(order.id(), order);
		return order;
	}

	Optional<Order> find(long id, String customer) {
		return Optional.ofNullable(this.orders.get(id)).filter((order) -> order.customer().equals(customer));
	}

}
