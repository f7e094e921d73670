package io.tierlimit.application;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.client.RateLimitedClientHttpRequestInterceptor;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;

@Configuration(proxyBeanMethods = false)
class PartnerClients {

	@Bean
	RestClient partnerClient(RateLimiter limiter, @Value("${partner.url}") String url) {
		return RestClient.builder()
			.baseUrl(url)
			.requestInterceptor(new RateLimitedClientHttpRequestInterceptor(limiter,
					(request) -> PermitRequest.of("partner-calls").endpoint(request.getURI().getHost())))
			.build();
	}

	@Bean
	Prices prices(RestClient partnerClient) {
		return HttpServiceProxyFactory.builderFor(RestClientAdapter.create(partnerClient))
			.build()
			.createClient(Prices.class);
	}

	interface Prices {

		@GetExchange("/prices")
		String all();

	}

}
