package io.tierlimit.recipes;

import java.util.List;

import io.tierlimit.RateLimited;

import org.springframework.graphql.data.method.annotation.Argument;
import org.springframework.graphql.data.method.annotation.QueryMapping;
import org.springframework.stereotype.Controller;

@Controller
class ProductQueries {

	@QueryMapping
	@RateLimited(value = "items", cost = "#ids.size() + 1")
	List<String> products(@Argument List<String> ids) {
		return ids.stream().map((id) -> "Product " + id).toList();
	}

}
