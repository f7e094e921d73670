package io.tierlimit.web.mvc;

import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;

import io.tierlimit.spi.Endpoint;
import io.tierlimit.web.Handler;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.MappingMatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.mock.web.MockHttpServletMapping;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockServletContext;
import org.springframework.stereotype.Controller;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.context.support.GenericWebApplicationContext;
import org.springframework.web.context.support.StaticWebApplicationContext;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.function.RequestPredicate;
import org.springframework.web.servlet.function.RequestPredicates;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.servlet.function.support.RouterFunctionMapping;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.servlet.resource.ResourceHttpRequestHandler;

import static org.assertj.core.api.Assertions.assertThat;

class HandlerMappingLookupTests {

	private static final byte[] CONTENT = { 1, 2, 3 };

	private static final HttpRequestHandler PLAIN = (request, response) -> {
	};

	private final StaticWebApplicationContext context = new StaticWebApplicationContext();

	private final HandlerMappingLookup lookup = new HandlerMappingLookup(this.context.getBeanFactory());

	@BeforeEach
	void start() {
		this.context.setServletContext(new MockServletContext());
		this.context.registerSingleton("controller", Orders.class);
		this.context.registerSingleton("overlapping", Overlapping.class);
		this.context.registerBean("prototype", Prototype.class, (definition) -> definition.setScope("prototype"));
		this.context.registerBean("annotated", RequestMappingHandlerMapping.class,
				(definition) -> definition.getPropertyValues().add("order", 0));
		this.context.registerBean("routes", RouterFunction.class,
				() -> RouterFunctions.route()
					.GET("/functional/{id}", (request) -> ServerResponse.ok().build())
					.build());
		this.context.registerBean("bodies", RouterFunction.class, () -> RouterFunctions.route()
			.route(hasContent("/body/raw", (request) -> request.servletRequest().getInputStream().readAllBytes()),
					(request) -> ServerResponse.ok().build())
			.route(hasContent("/body/converted", (request) -> request.body(byte[].class)),
					(request) -> ServerResponse.ok().build())
			.POST("/body/{kind}", (request) -> ServerResponse.ok().build())
			.build());
		this.context.registerSingleton("functional", RouterFunctionMapping.class);
		this.context.registerBean("resources", SimpleUrlHandlerMapping.class, () -> new SimpleUrlHandlerMapping(
				Map.of("/assets/**", new ResourceHttpRequestHandler(), "/plain/**", PLAIN, "/plain/fixed", PLAIN), 10));
		this.context.refresh();
	}

	@AfterEach
	void stop() {
		RequestContextHolder.resetRequestAttributes();
		this.context.close();
	}

	@Test
	void annotatedControllerIsFoundWithItsMethodAndPattern() {
		Handler handler = found("GET", "/orders/1");
		assertThat(handler.endpoint()).isEqualTo(new Endpoint("GET", "/orders/{id}"));
		assertThat(handler.type()).isEqualTo(Orders.class);
		assertThat(handler.method()).isNotNull().extracting("name").isEqualTo("order");
		assertThat(handler.management()).isFalse();
		assertThat(found("GET", "/functional/1").method()).as("of a function").isNull();
	}

	/**
	 * The endpoint has the methods of the mapping and its most specific matching pattern.
	 * A route that depends on the body is skipped without a body.
	 */
	@ParameterizedTest
	@CsvSource({ "PUT, /several, 'POST,PUT', /several", "POST, /several, 'POST,PUT', /several",
			"PATCH, /every, *, /every", "GET, /functional/1, *, /functional/{id}", "GET, /plain/1, *, /plain/**",
			"GET, /plain/fixed, *, /plain/fixed", "GET, /plain/fixed/1, *, /plain/**",
			"POST, /body/raw, *, /body/{kind}", "POST, /body/converted, *, /body/{kind}" })
	void endpointHasTheMethodsAndThePatternOfItsMapping(String method, String path, String methods, String pattern) {
		assertThat(found(method, path).endpoint()).isEqualTo(new Endpoint(methods, pattern));
	}

	@ParameterizedTest
	@CsvSource({ "/body/raw, false", "/body/raw, true", "/body/converted, false", "/body/converted, true" })
	void bodyThatARouteDependsOnIsLeftToTheRequest(String path, boolean arrived) throws Exception {
		MockHttpServletRequest request = new MockHttpServletRequest("POST", path);
		request.setContent(CONTENT);
		assertThat(this.lookup.find(request, arrived)).isNull();
		assertThat(Collections.list(request.getAttributeNames())).isEmpty();
		assertThat(request.getInputStream().readAllBytes()).isEqualTo(CONTENT);
	}

	@Test
	void staticResourceHasNoEndpoint() {
		Handler handler = found("GET", "/assets/a.css");
		assertThat(handler.object()).isInstanceOf(ResourceHttpRequestHandler.class);
		assertThat(handler.endpoint()).isNull();
	}

	@ParameterizedTest
	@CsvSource({ "GET, /nowhere", "DELETE, /orders/1" })
	void requestThatNoMappingSupportsHasNoHandler(String method, String path) {
		assertThat(find(method, path)).isNull();
	}

	@Test
	void boundRequestIsTheSameAfterwards() {
		find("GET", "/orders/1");
		assertThat(RequestContextHolder.getRequestAttributes()).isNull();
		RequestAttributes bound = new ServletRequestAttributes(new MockHttpServletRequest());
		RequestContextHolder.setRequestAttributes(bound);
		find("GET", "/orders/1");
		assertThat(RequestContextHolder.getRequestAttributes()).isSameAs(bound);
		find("DELETE", "/orders/1");
		assertThat(RequestContextHolder.getRequestAttributes()).isSameAs(bound);
	}

	@Test
	void attributesOfTheRequestAreUntouched() {
		for (String path : List.of("/orders/1", "/functional/1", "/assets/a.css", "/nowhere")) {
			MockHttpServletRequest request = new MockHttpServletRequest("GET", path);
			request.setAttribute("own", "stays");
			this.lookup.find(request, false);
			assertThat(Collections.list(request.getAttributeNames())).as(path).containsExactly("own");
		}
	}

	@Test
	void requestsForAMethodMatchItsPathAndMethod() {
		Predicate<HttpServletRequest> requests = this.lookup
			.requestsFor((method, type) -> type == Orders.class && method.getName().equals("order"));
		assertThat(requests)
			.accepts(request("GET", "/orders/1"), request("HEAD", "/orders/2"), request("GET", "/orders/"))
			.rejects(request("POST", "/orders/1"), request("GET", "/every"), request("GET", "/functional/1"));
	}

	@Test
	void requestsForAMethodWhoseAnnotationIsInvalidAreLookedUp() {
		Predicate<HttpServletRequest> requests = this.lookup.requestsFor((method, type) -> {
			throw new IllegalStateException("invalid");
		});
		assertThat(requests).accepts(request("GET", "/every")).rejects(request("GET", "/functional/1"));
	}

	@Test
	void everyRequestMayBeForAMethodOfAnUnknownMapping() {
		this.context.registerBean("own", HandlerMapping.class, () -> (request) -> null);
		assertThat(this.lookup.requestsFor((method, type) -> false)).accepts(request("GET", "/functional/1"));
	}

	@Test
	void mappingThatReadsThePathInItsOwnWayMayServeEveryRequest() {
		this.context.registerBean("prefixed", RequestMappingHandlerMapping.class,
				() -> new RequestMappingHandlerMapping() {

					@Override
					protected String initLookupPath(HttpServletRequest request) {
						return super.initLookupPath(request).substring("/prefix".length());
					}

				});
		assertThat(this.lookup.requestsFor((method, type) -> false)).accepts(request("GET", "/prefix/every"));
	}

	@Test
	void requestsForAMethodOfASubclassMatchItsDeclaredType() {
		GenericWebApplicationContext lazy = new GenericWebApplicationContext(new MockServletContext());
		lazy.registerBean("annotated", RequestMappingHandlerMapping.class);
		lazy.registerBean("created", Orders.class, SpecialOrders::new);
		lazy.registerBean("lazy", Items.class, SpecialItems::new, (definition) -> definition.setLazyInit(true));
		lazy.registerBean("exact", Exact.class, (definition) -> definition.setLazyInit(true));
		lazy.refresh();
		Predicate<HttpServletRequest> requests = new HandlerMappingLookup(lazy.getBeanFactory())
			.requestsFor((method, type) -> type == SpecialOrders.class || type == SpecialItems.class);
		assertThat(requests).accepts(request("GET", "/orders/1"), request("GET", "/items"))
			.rejects(request("GET", "/exact"));
		lazy.close();
	}

	@Test
	void handlerThatDependsOnlyOnMethodAndPathIsLookedUpOnce() {
		Handler first = this.lookup.find(request("GET", "/orders/1"), false);
		assertThat(first).isNotNull();
		assertThat(this.lookup.find(request("GET", "/orders/2"), false)).isSameAs(first);
		assertThat(this.lookup.find(request("HEAD", "/orders/3"), false)).isSameAs(first);
		assertThat(this.lookup.find(request("GET", "/orders/1"), true)).isNotSameAs(first).isEqualTo(first);
	}

	@Test
	void pathOfTheServletItselfHasNoHandler() {
		assertThat(this.lookup.find(request("GET", "/orders/1"), false)).isNotNull();
		MockHttpServletRequest request = request("GET", "/orders/1");
		request.setHttpServletMapping(new MockHttpServletMapping("", "/orders/1/*", "", MappingMatch.PATH));
		assertThat(this.lookup.find(request, true)).isNull();
		assertThat(this.lookup.find(request, false)).isNull();
	}

	/** A request that has reached its servlet is always looked up by Spring MVC. */
	@Test
	void handlerIsAlwaysTheHandlerOfSpringMvc() {
		List<String> paths = List.of("/a", "/a/1", "/a/special", "/a/1/2", "/any", "/param", "/header", "/json",
				"/two/one", "/two/2", "/options", "/deep", "/deep/1", "/deep/1/end", "/deep/1/2", "/proto", "/orders/1",
				"/orders/", "/several", "/every", "/functional/1", "/assets/a.css", "/plain/fixed", "/nowhere", "/");
		List<String> methods = List.of("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "BREW");
		Random random = new Random(7);
		Set<Handler> found = Collections.newSetFromMap(new IdentityHashMap<>());
		int again = 0;
		for (int i = 0; i < 8_000; i++) {
			String method = methods.get(random.nextInt(methods.size()));
			MockHttpServletRequest request = request(method, paths.get(random.nextInt(paths.size())));
			if (random.nextInt(3) == 0) {
				request.addHeader("X-Own", "1");
			}
			if (random.nextInt(3) == 0) {
				request.addParameter("own", "1");
			}
			if (random.nextInt(3) == 0) {
				request.addHeader("Accept", "text/html");
				request.setContentType("application/json");
			}
			if (random.nextInt(3) == 0) {
				request.addHeader("Origin", "https://other.example");
				request.addHeader("Access-Control-Request-Method", "GET");
			}
			Handler handler = this.lookup.find(request, false);
			Handler expected = this.lookup.find(request, true);
			assertThat(description(handler)).as(method + " " + request.getRequestURI())
				.isEqualTo(description(expected));
			again += (handler != null && !found.add(handler)) ? 1 : 0;
		}
		assertThat(again).as("handlers that were not looked up again").isGreaterThan(800);
	}

	private static String description(@Nullable Handler handler) {
		return (handler != null) ? handler.endpoint() + " " + handler.method() + " " + handler.type() + " "
				+ handler.management() + " " + handler.cors() : "none";
	}

	@Test
	void handlerOfAMappingThatIsRegisteredLaterIsFoundWhenTheRequestReachesIt() throws Exception {
		assertThat(Objects.requireNonNull(this.lookup.find(request("GET", "/a/later"), false)).endpoint())
			.isEqualTo(new Endpoint("GET", "/a/{id}"));
		this.context.getBean(RequestMappingHandlerMapping.class)
			.registerMapping(RequestMappingInfo.paths("/a/later").methods(RequestMethod.GET).build(),
					this.context.getBean("overlapping"), Overlapping.class.getDeclaredMethod("any"));
		assertThat(Objects.requireNonNull(this.lookup.find(request("GET", "/a/later"), true)).endpoint())
			.isEqualTo(new Endpoint("GET", "/a/later"));
	}

	/** A request that reads the body, and caches it. */
	private static RequestPredicate hasContent(String path, BodyReader reader) {
		return RequestPredicates.path(path).and((request) -> {
			try {
				byte[] body = reader.read(request);
				request.attributes().put("cached", body);
				return Arrays.equals(body, CONTENT);
			}
			catch (IOException | ServletException ex) {
				throw new IllegalStateException(ex);
			}
		});
	}

	private static MockHttpServletRequest request(String method, String path) {
		MockHttpServletRequest request = new MockHttpServletRequest(method, path);
		request.setServletPath(path);
		return request;
	}

	@Test
	void mappingsMatchWithCase() {
		assertThat(this.lookup.ignoresCase()).isFalse();
	}

	private Handler found(String method, String path) {
		return Objects.requireNonNull(find(method, path));
	}

	private @Nullable Handler find(String method, String path) {
		return this.lookup.find(new MockHttpServletRequest(method, path), false);
	}

	@FunctionalInterface
	private interface BodyReader {

		byte[] read(ServerRequest request) throws IOException, ServletException;

	}

	@Controller
	static class Overlapping {

		@GetMapping("/a")
		void list() {
		}

		@PostMapping("/a")
		void create() {
		}

		@GetMapping("/a/{id}")
		void one() {
		}

		@GetMapping("/a/special")
		void special() {
		}

		@RequestMapping("/any")
		void any() {
		}

		@GetMapping(path = "/param", params = "own")
		void withParameter() {
		}

		@GetMapping("/param")
		void withoutParameter() {
		}

		@GetMapping(path = "/header", headers = "X-Own")
		void withHeader() {
		}

		@PostMapping(path = "/json", consumes = "application/json")
		void consumesJson() {
		}

		@GetMapping(path = "/json", produces = "application/json")
		void producesJson() {
		}

		@GetMapping({ "/two/one", "/two/*" })
		void twoPatterns() {
		}

		@RequestMapping(path = "/options", method = { RequestMethod.OPTIONS, RequestMethod.GET })
		void options() {
		}

		@GetMapping("/deep/**")
		void deep() {
		}

		@GetMapping("/deep/{x}/end")
		void deeper() {
		}

	}

	@Controller
	static class Prototype {

		@GetMapping("/proto")
		void prototype() {
		}

	}

	static class SpecialOrders extends Orders {

	}

	@Controller
	static class Items {

		@GetMapping("/items")
		void items() {
		}

	}

	static class SpecialItems extends Items {

	}

	@Controller
	static class Exact {

		@GetMapping("/exact")
		void exact() {
		}

	}

	@Controller
	static class Orders {

		@GetMapping("/orders/{id}")
		void order() {
		}

		@RequestMapping(path = "/several", method = { RequestMethod.PUT, RequestMethod.POST })
		void several() {
		}

		@RequestMapping("/every")
		void every() {
		}

	}

}
