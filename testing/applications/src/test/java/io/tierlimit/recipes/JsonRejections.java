package io.tierlimit.recipes;

import java.util.LinkedHashMap;
import java.util.Map;

import io.tierlimit.spi.web.RateLimitRejectionHandler;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class JsonRejections {

	@Bean
	RateLimitRejectionHandler jsonRejections(JsonMapper json) {
		return (verdict, request, response) -> {
			Map<String, Object> body = new LinkedHashMap<>();
			body.put("error", (response.getStatus() == 429) ? "too_many_requests" : "rejected");
			body.put("path", request.getRequestURI());
			body.put("retryAfter", response.getHeader("Retry-After")); // null if the wait
																		// is unknown
			response.setContentType("application/json");
			response.setCharacterEncoding("UTF-8");
			response.getWriter().write(json.writeValueAsString(body));
		};
	}

}
