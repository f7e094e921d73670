package io.tierlimit.sample.catalog;

import java.util.List;
import java.util.stream.Collectors;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

@RestController
@RequestMapping("/api/products")
class ProductController {

	private final Catalog catalog;

	ProductController(Catalog catalog) {
		this.catalog = catalog;
	}

	@GetMapping
	List<Product> all() {
		return this.catalog.all();
	}

	@GetMapping("/{id}")
	Product one(@PathVariable long id) {
		return this.catalog.find(id).orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND));
	}

	@GetMapping(path = "/export", produces = "text/csv")
	String export() {
		return this.catalog.all()
			.stream()
			.map((product) -> product.id() + "," + product.name() + "," + product.price())
			.collect(Collectors.joining("\n", "id,name,price\n", "\n"));
	}

}
