package io.tierlimit.application;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import io.tierlimit.RateLimited;
import io.tierlimit.application.EndingApplication.Gate;
import io.tierlimit.limit.Concurrency;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpUpgradeHandler;
import jakarta.servlet.http.WebConnection;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/**
 * The handlers of {@link EndingApplication}, further handlers whose responses end late,
 * and a record of the permits that each request holds.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ EndingApplication.class, HoldingApplication.Handlers.class, HoldingApplication.Views.class,
		HoldingApplication.Held.class })
class HoldingApplication {

	/** The rule whose permits are counted, with the parameter {@code k} as its key. */
	static final String RULE = "exports";

	/** Counts the permits in use after Tierlimit's filters. */
	@Bean
	FilterRegistrationBean<Filter> counting(Held held) {
		FilterRegistrationBean<Filter> registration = Registrations.filter(Ordered.LOWEST_PRECEDENCE,
				(request, response, chain) -> {
					held.count(request);
					chain.doFilter(request, response);
				});
		registration.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.FORWARD, DispatcherType.INCLUDE,
				DispatcherType.ASYNC);
		return registration;
	}

	@Bean
	ServletRegistrationBean<HttpServlet> including() {
		return Registrations.servlet("/including",
				(request, response) -> request.getRequestDispatcher("/status").include(request, response));
	}

	/** Switches protocols like the handshake of a WebSocket. */
	@Bean
	ServletRegistrationBean<HttpServlet> upgrading() {
		return Registrations.servlet("/upgrade", (request, response) -> {
			response.setHeader("Connection", "Upgrade");
			response.setHeader("Upgrade", "echo");
			request.upgrade(Idle.class);
		});
	}

	/**
	 * The permits in use.
	 */
	static final class Held {

		private final BucketStore store;

		private final Map<String, Long> most = new ConcurrentHashMap<>();

		Held(BucketStore store) {
			this.store = store;
		}

		private void count(HttpServletRequest request) {
			String key = request.getParameter("k");
			if (key != null) {
				this.most.merge(key, now(key), Math::max);
			}
		}

		/** The most permits in use for a key during its requests. */
		long most(String key) {
			return this.most.getOrDefault(key, -1L);
		}

		/** The permits in use for a key. */
		long now(String key) {
			return now(RULE, key);
		}

		long now(String rule, String key) {
			Charge level = new Charge(new BucketKey(rule, key), Concurrency.of(100, Concurrency.MAX_DURATION), 0);
			return 100 - this.store.peek(List.of(level)).decisions().get(0).remaining();
		}

	}

	@RestController
	static class Handlers {

		private final Gate gate;

		Handlers(Gate gate) {
			this.gate = gate;
		}

		@RequestMapping("/future")
		CompletableFuture<ResponseEntity<String>> future(int status) {
			return CompletableFuture.supplyAsync(() -> {
				this.gate.pass();
				return ResponseEntity.status(status).body("done");
			});
		}

		@RequestMapping("/future/exception")
		CompletableFuture<String> failingFuture() {
			return CompletableFuture.failedFuture(new IllegalStateException("on purpose"));
		}

		/** Waits until the timeout interrupts its thread. */
		@RequestMapping("/task")
		WebAsyncTask<String> task() {
			return new WebAsyncTask<>(100, () -> {
				this.gate.pass();
				return "late";
			});
		}

		@RequestMapping("/streaming")
		StreamingResponseBody streaming() {
			return (output) -> {
				output.write("beginning".getBytes(StandardCharsets.UTF_8));
				output.flush();
				this.gate.pass();
				output.write("end".getBytes(StandardCharsets.UTF_8));
			};
		}

		@RequestMapping("/streaming/exception")
		StreamingResponseBody failingStream(HttpServletResponse response) {
			return (output) -> {
				response.flushBuffer();
				throw new IllegalStateException("on purpose");
			};
		}

		/** Sends events until an event cannot be sent. */
		@RequestMapping("/events")
		SseEmitter events() {
			SseEmitter emitter = new SseEmitter(0L);
			new Thread(() -> {
				this.gate.pass();
				try {
					while (true) {
						emitter.send("event ".repeat(1000));
					}
				}
				catch (IOException | IllegalStateException ex) {
					// The application is not required to complete the emitter.
				}
			}).start();
			return emitter;
		}

		@RequestMapping("/events/complete")
		SseEmitter completedEvents() throws IOException {
			SseEmitter emitter = new SseEmitter(0L);
			emitter.send("event");
			emitter.complete();
			return emitter;
		}

		@CrossOrigin
		@RequestMapping("/shared")
		String shared() {
			return "shared";
		}

		@RequestMapping("/cached")
		ResponseEntity<String> cached() {
			return ResponseEntity.ok().eTag("x").body("cached");
		}

		/** The path also matches the rule. */
		@RateLimited("named")
		@RequestMapping("/named")
		ResponseEntity<String> named(int status) {
			this.gate.pass();
			return ResponseEntity.status(status).body("done");
		}

		@RateLimited(value = "named", key = "#k")
		@RequestMapping("/annotated/hold")
		CompletableFuture<ResponseEntity<String>> annotated(String k, int status) {
			return future(status);
		}

	}

	@Controller
	static class Views {

		@RequestMapping("/forwarding/handler")
		String forwarding() {
			return "forward:/status";
		}

	}

	/**
	 * Keeps the connection until the client closes it.
	 */
	public static final class Idle implements HttpUpgradeHandler {

		@Override
		public void init(WebConnection connection) {
		}

		@Override
		public void destroy() {
		}

	}

}
