package io.tierlimit.search;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The application under test in the recipe for a simulated clock.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(SearchApplication.Search.class)
class SearchApplication {

	@RestController
	static class Search {

		@GetMapping("/api/search")
		String search(String q) {
			return q;
		}

	}

}
