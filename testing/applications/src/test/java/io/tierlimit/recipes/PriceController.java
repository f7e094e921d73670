package io.tierlimit.recipes;

import java.util.List;

import io.tierlimit.RateLimited;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

@RestController
class PriceController {

	@PostMapping("/api/prices")
	@RateLimited(value = "items", cost = "#ids.size() + 1")
	List<Integer> prices(@RequestBody List<String> ids) {
		return ids.stream().map(String::length).toList();
	}

}
