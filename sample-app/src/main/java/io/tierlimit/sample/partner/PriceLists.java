package io.tierlimit.sample.partner;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.stereotype.Component;

/**
 * The partners' prices of the products, in memory. Represents a database with a limited
 * number of writes per second.
 */
@Component
class PriceLists {

	private final Map<String, Map<Long, BigDecimal>> lists = new ConcurrentHashMap<>();

	void write(String partner, List<Price> rows) {
		Map<Long, BigDecimal> list = this.lists.computeIfAbsent(partner, (name) -> new ConcurrentHashMap<>());
		rows.forEach((row) -> list.put(row.product(), row.price()));
	}

	/** Prices by the numbers of the products. */
	SortedMap<Long, BigDecimal> of(String partner) {
		return new TreeMap<>(this.lists.getOrDefault(partner, Map.of()));
	}

}
