package io.tierlimit.sample.catalog;

import io.tierlimit.RateLimited;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
class ReviewController {

	/** Each customer or address can write two reviews per hour of the same product. */
	@RateLimited(rate = "2/h", name = "reviews", scope = "user", key = "#product")
	@PostMapping("/api/products/{product}/reviews")
	@ResponseStatus(HttpStatus.CREATED)
	Review review(@PathVariable long product, @RequestBody String text) {
		return new Review(product, text);
	}

	record Review(long product, String text) {

	}

}
