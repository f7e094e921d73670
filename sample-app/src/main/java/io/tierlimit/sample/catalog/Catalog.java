package io.tierlimit.sample.catalog;

import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import org.springframework.stereotype.Component;

/**
 * All products, in memory.
 */
@Component
public class Catalog {

	private final List<Product> products = List.of(new Product(1, "Espresso cup", new BigDecimal("9.50")),
			new Product(2, "Saucer", new BigDecimal("4.20")), new Product(3, "Milk jug", new BigDecimal("18.00")),
			new Product(4, "Teapot", new BigDecimal("35.00")), new Product(5, "Tea cup", new BigDecimal("11.00")));

	/**
	 * Lists the products.
	 * @return all products, ordered by number
	 */
	public List<Product> all() {
		return this.products;
	}

	/**
	 * Finds a product.
	 * @param id the number of the product
	 * @return the product; empty if no product has this number
	 */
	public Optional<Product> find(long id) {
		return this.products.stream().filter((product) -> product.id() == id).findFirst();
	}

	List<Product> search(String words) {
		String sought = words.toLowerCase(Locale.ROOT);
		return this.products.stream()
			.filter((product) -> product.name().toLowerCase(Locale.ROOT).contains(sought))
			.toList();
	}

}
