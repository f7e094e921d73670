package io.tierlimit.sample.order;

import java.net.URI;
import java.security.Principal;

import io.tierlimit.sample.catalog.Catalog;
import io.tierlimit.sample.catalog.Product;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

@RestController
@RequestMapping("/api/orders")
class OrderController {

	private final Catalog catalog;

	private final OrderBook orders;

	private final Courier courier;

	OrderController(Catalog catalog, OrderBook orders, Courier courier) {
		this.catalog = catalog;
		this.orders = orders;
		this.courier = courier;
	}

	/**
	 * Places an order. Any value of the parameter makes the order express, as in the cost
	 * of the rule.
	 */
	@PostMapping
	ResponseEntity<Order> place(@RequestBody NewOrder order, @RequestParam(required = false) @Nullable String express,
			Principal customer) {
		if (order.quantity() < 1) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "The quantity must be 1 or more.");
		}
		Product product = this.catalog.find(order.product())
			.orElseThrow(() -> new ResponseStatusException(HttpStatus.BAD_REQUEST, "The product does not exist."));
		Order placed = this.orders.add(customer.getName(), product, order.quantity(), express != null);
		return ResponseEntity.created(URI.create("/api/orders/" + placed.id())).body(placed);
	}

	@GetMapping("/{id}")
	Order one(@PathVariable long id, Principal customer) {
		return this.orders.find(id, customer.getName())
			.orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND));
	}

	@GetMapping("/{id}/parcel")
	String parcel(@PathVariable long id, Principal customer) {
		return this.courier.find(one(id, customer).id());
	}

}
