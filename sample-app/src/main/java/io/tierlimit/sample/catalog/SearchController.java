package io.tierlimit.sample.catalog;

import java.util.List;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
class SearchController {

	private final Catalog catalog;

	SearchController(Catalog catalog) {
		this.catalog = catalog;
	}

	@GetMapping("/api/search")
	List<Product> search(@RequestParam String q) {
		return this.catalog.search(q);
	}

}
