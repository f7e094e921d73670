package io.tierlimit.application;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import graphql.GraphQLError;
import graphql.GraphqlErrorBuilder;
import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimitExceededException;
import io.tierlimit.RateLimited;
import io.tierlimit.RateLimiter;
import io.tierlimit.Verdict;
import io.tierlimit.application.RunningApplication.Response;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.graphql.data.method.annotation.Argument;
import org.springframework.graphql.data.method.annotation.BatchMapping;
import org.springframework.graphql.data.method.annotation.GraphQlExceptionHandler;
import org.springframework.graphql.data.method.annotation.MutationMapping;
import org.springframework.graphql.data.method.annotation.QueryMapping;
import org.springframework.graphql.data.method.annotation.SchemaMapping;
import org.springframework.graphql.data.method.annotation.SubscriptionMapping;
import org.springframework.graphql.execution.DataFetcherExceptionResolver;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.stereotype.Controller;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests annotated handlers of GraphQL, over HTTP.
 */
@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class GraphQlTests {

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	private RunningApplication application;

	@BeforeEach
	void start() {
		this.application = applications.start(Shop.class, "spring.graphql.schema.locations=classpath:graphql-shop/",
				"tierlimit.rules.all.rate=1/d", "tierlimit.rules.all.burst=100", "tierlimit.rules.all.paths=/graphql",
				"tierlimit.rules.program.rate=1/d", "tierlimit.rules.program.applies-to=code",
				"tierlimit.rules.hidden.applies-to=code", "tierlimit.rules.hidden.rate=2/d",
				"tierlimit.rules.hidden.burst=1", "tierlimit.rules.hidden.headers=hidden",
				"tierlimit.rules.banning.applies-to=code", "tierlimit.rules.banning.rate=1/h",
				"tierlimit.rules.banning.ban.after=2", "tierlimit.rules.banning.ban.within=1m",
				"tierlimit.rules.banning.ban.for=10h", "tierlimit.rules.user.applies-to=code",
				"tierlimit.rules.user.rate=1/d", "tierlimit.rules.user.scope=user",
				"tierlimit.rules.user.on-missing-key=deny", "tierlimit.rules.guesses.applies-to=code",
				"tierlimit.rules.guesses.rate=1/d", "tierlimit.rules.guesses.charge-on=401",
				"tierlimit.rules.logins.applies-to=code", "tierlimit.rules.logins.rate=1/d",
				"tierlimit.rules.logins.reset-on=200");
	}

	@Test
	void rejectedQueryIsAnErrorOfItsFieldAndNothingIsLogged(CapturedOutput output) {
		Response allowed = query("{ product(id: 1) { id } free }");
		assertThat(allowed.body()).isEqualTo("{\"data\":{\"product\":{\"id\":\"1\"},\"free\":\"free\"}}");
		assertThat(allowed.rateLimit()).containsOnlyKeys("all", "Products.product");
		Response rejected = query("{ product(id: 1) { id } free }");
		assertThat(rejected.status()).isEqualTo(200);
		assertThat(rejected.json("$.data")).hasToString("{product=null, free=free}");
		assertThat(rejected.jsons("$.errors[*].path")).hasToString("[[\"product\"]]");
		assertThat(rejected.json("$.errors[0].message")).isEqualTo("The request is over its rate limit.");
		assertThat(rejected.json("$.errors[0].extensions")).isEqualTo(Map.of("classification", "RATE_LIMITED",
				"violated-policies", List.of("Products.product"), "retry-after", 86400));
		assertThat(rejected.rateLimit()).containsOnlyKeys("all");
		assertThat(this.application.consumed("all", "")).isEqualTo(2);
		assertThat(query("{ product(id: 2) { id } }").json("$.data.product.id")).isEqualTo("2");
		assertThat(output).doesNotContain("ERROR", "RateLimitExceededException");
	}

	@Test
	void rejectedFieldsAndBatchesAreErrors(CapturedOutput output) {
		Response fields = query("{ products { price } }");
		assertThat(fields.jsons("$.data.products[*].price")).containsExactly(7, null);
		assertThat(fields.jsons("$.errors[*].path")).hasToString("[[\"products\",1,\"price\"]]");
		assertThat(query("{ products { stock } }").jsons("$.data.products[*].stock")).containsExactly(1, 1);
		assertThat(query("{ products { rating } }").jsons("$.data.products[*].rating")).as("a cost of two")
			.containsExactly(5, 5);
		assertThat(query("{ products { rating } }").jsons("$.errors[*].extensions.classification"))
			.containsExactly("RATE_LIMITED", "RATE_LIMITED");
		Response batch = query("{ products { stock } }");
		assertThat(batch.jsons("$.errors[*].extensions.classification")).containsExactly("RATE_LIMITED",
				"RATE_LIMITED");
		assertThat(output).doesNotContain("ERROR");
	}

	/** A client can guess a hundred passwords in one request. */
	@Test
	void everyAliasIsACall() {
		Response aliases = query(aliases("product(id: 1) { id }"));
		assertThat(aliases.jsons("$.data[*].id")).containsExactly("1");
		assertThat(aliases.jsons("$.errors[*].extensions.classification")).hasSize(99).containsOnly("RATE_LIMITED");
		assertThat(this.application.consumed("all", "")).isOne();
	}

	@Test
	void aliasesOfAFieldWithARuleForRequestsAreChargedOnce() {
		assertThat(query(aliases("ofRequests")).jsons("$.data[*]")).hasSize(100).containsOnly("ok");
		assertThat(this.application.consumed("all", "")).isOne();
	}

	/** The status of every operation is 200. */
	@ParameterizedTest
	@ValueSource(strings = { "guess", "login" })
	void errorOfAFieldIsNotAStatus(String field) {
		for (int i = 0; i < 3; i++) {
			assertThat(query("{ " + field + " }").json("$.errors[0].extensions.classification"))
				.isEqualTo("UNAUTHORIZED");
		}
	}

	private static String aliases(String field) {
		return IntStream.range(0, 100)
			.mapToObj((i) -> "a" + i + ": " + field)
			.collect(Collectors.joining(" ", "{ ", " }"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '\'',
			textBlock = """
					mutation { order(quantity: 3) } | 1 | {classification=RATE_LIMITED, retry-after=86400, violated-policies=["Products.order"]}
					mutation { order(quantity: 6) } | 0 | {classification=RATE_LIMITED, violated-policies=["Products.order"]}
					{ hidden } | 1 | {classification=RATE_LIMITED, retry-after=43200, violated-policies=[]}
					{ banning } | 1 | {classification=RATE_LIMITED, retry-after=3600, violated-policies=["banning"]}
					{ banning } | 2 | {banned=true, classification=RATE_LIMITED, retry-after=36000, violated-policies=["banning"]}
					{ user } | 0 | {classification=FORBIDDEN}
					{ thrown(outcome: \\"INVALID\\") } | 0 | {classification=BAD_REQUEST}
					{ thrown(outcome: \\"UNAVAILABLE\\") } | 0 | {classification=SERVICE_UNAVAILABLE}
					{ thrown(outcome: \\"DENIED\\") } | 0 | {classification=FORBIDDEN}
					""")
	void errorHasTheReasonOfTheRejection(String query, int before, String extensions) {
		for (int i = 0; i < before; i++) {
			query(query);
		}
		assertThat(new TreeMap<>((Map<?, ?>) query(query).json("$.errors[0].extensions"))).hasToString(extensions);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			banning | 2 | The caller is banned for a time after too many rejected requests.
			user | 0 | The request needs an authenticated caller.
			handled | 0 | by the controller
			resolved | 0 | by the resolver
			guarded | 1 | by the guarded controller
			""")
	void errorHasAMessage(String field, int before, String message, CapturedOutput output) {
		for (int i = 0; i < before; i++) {
			query("{ " + field + " }");
		}
		assertThat(query("{ " + field + " }").json("$.errors[0].message")).isEqualTo(message);
		assertThat(output).doesNotContain("Failure while handling");
	}

	@Test
	void authenticatedCallerHasAnOwnLimit() {
		assertThat(query("{ user }", "Authorization", RunningApplication.basic("alice", "secret")).json("$.data.user"))
			.isEqualTo("ok");
	}

	@Test
	void rejectedSubscriptionIsAnError(CapturedOutput output) {
		assertThat(subscribe("subscription { limitedPrices }")).contains("{\"data\":{\"limitedPrices\":1}}");
		assertThat(subscribe("subscription { limitedPrices }")).contains("\"classification\":\"RATE_LIMITED\"",
				"\"violated-policies\":[\"Products.limitedPrices\"]");
		String later = subscribe("subscription { prices }");
		assertThat(later).contains("{\"data\":{\"prices\":1}}", "\"classification\":\"RATE_LIMITED\"",
				"\"violated-policies\":[\"program\"]");
		assertThat(output).doesNotContain("ERROR", "RateLimitExceededException");
	}

	private Response query(String query, String... headers) {
		return this.application.postJson("/graphql", "{\"query\":\"" + query + "\"}", headers);
	}

	private String subscribe(String query) {
		return query(query, "Accept", "text/event-stream").body();
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ TestApplication.class, Products.class, Handled.class, Guarded.class })
	static class Shop {

		@Bean
		DataFetcherExceptionResolver ownResolver() {
			return (exception, environment) -> environment.getField().getName().equals("resolved")
					? Mono.just(List.of(GraphqlErrorBuilder.newError(environment).message("by the resolver").build()))
					: Mono.empty();
		}

	}

	record Product(String id) {

	}

	@Controller
	static class Products {

		private final RateLimiter limiter;

		Products(RateLimiter limiter) {
			this.limiter = limiter;
		}

		@RateLimited(rate = "1/d", key = "#id")
		@QueryMapping
		Product product(@Argument String id) {
			return new Product(id);
		}

		@QueryMapping
		List<Product> products() {
			return List.of(new Product("1"), new Product("2"));
		}

		@RateLimited(rate = "1/d")
		@SchemaMapping(typeName = "Product")
		int price(Product product) {
			return 7;
		}

		@RateLimited(rate = "1/d")
		@BatchMapping(typeName = "Product")
		Map<Product, Integer> stock(List<Product> products) {
			return Map.of(products.get(0), 1, products.get(1), 1);
		}

		@RateLimited(rate = "1/d", burst = "3", cost = "#products.size()")
		@BatchMapping(typeName = "Product")
		Map<Product, Integer> rating(List<Product> products) {
			return Map.of(products.get(0), 5, products.get(1), 5);
		}

		@QueryMapping
		String free() {
			return "free";
		}

		@RateLimited("all")
		@QueryMapping
		String ofRequests() {
			return "ok";
		}

		@RateLimited("guesses")
		@QueryMapping
		String guess() {
			throw new BadCredentialsException("wrong");
		}

		@RateLimited("logins")
		@QueryMapping
		String login() {
			return guess();
		}

		@RateLimited("hidden")
		@QueryMapping
		String hidden() {
			return "ok";
		}

		@RateLimited("banning")
		@QueryMapping
		String banning() {
			return "ok";
		}

		@RateLimited("user")
		@QueryMapping
		String user() {
			return "ok";
		}

		@QueryMapping
		String thrown(@Argument String outcome) {
			throw new RateLimitExceededException(new Verdict(Verdict.Outcome.valueOf(outcome), List.of()));
		}

		@QueryMapping
		String resolved() {
			return thrown("INVALID");
		}

		@RateLimited(rate = "1/d", burst = "5", cost = "#quantity")
		@MutationMapping
		String order(@Argument int quantity) {
			return "ordered " + quantity;
		}

		@RateLimited(rate = "1/d")
		@SubscriptionMapping
		Flux<Integer> limitedPrices() {
			return Flux.just(1);
		}

		@SubscriptionMapping
		Flux<Integer> prices() {
			return Flux.just(1, 2).doOnNext((price) -> this.limiter.acquire(PermitRequest.of("program")));
		}

	}

	@Controller
	static class Handled {

		@QueryMapping
		String handled() {
			throw new RateLimitExceededException(new Verdict(Verdict.Outcome.REJECTED, List.of()));
		}

		@GraphQlExceptionHandler
		GraphQLError handle(RateLimitExceededException ex) {
			return GraphQLError.newError().message("by the controller").build();
		}

	}

	@RateLimited(name = "guarded", rate = "1/d")
	@Controller
	static class Guarded {

		@QueryMapping
		String guarded() {
			return "ok";
		}

		@GraphQlExceptionHandler
		GraphQLError handle(RateLimitExceededException ex) {
			return GraphQLError.newError().message("by the guarded controller").build();
		}

	}

}
