package io.tierlimit.application;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.tierlimit.RateLimited;
import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.junit.Poll;
import jakarta.servlet.Filter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.RequestContextListener;
import org.springframework.web.filter.RequestContextFilter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests other components that bind requests to threads, and other orders of the filters:
 * authentication events and annotated methods find the request by the thread.
 */
@Tag("slow")
class RequestBindingTests {

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	@ParameterizedTest
	@ValueSource(strings = { "spring.security.filter.order=500", "tierlimit.web.order=-101",
			"tierlimit.web.order=-2147483648" })
	void failedLoginsAreChargedForEveryFilterOrder(String order) {
		assertThatGuessesAreLimited(SecuredApplication.class, order);
	}

	@ParameterizedTest
	@ValueSource(classes = { OwnFilter.class, OwnListener.class, OwnRegistration.class })
	void failedLoginsAreChargedForEveryRequestBinding(Class<?> application) {
		assertThatGuessesAreLimited(application, "tierlimit.web.order=-101");
	}

	private void assertThatGuessesAreLimited(Class<?> application, String property) {
		RunningApplication running = applications.startOwn(application, property, "tierlimit.rules.guesses.scope=ip",
				"tierlimit.rules.guesses.paths=/login", "tierlimit.rules.guesses.methods=POST",
				"tierlimit.rules.guesses.rate=5/d", "tierlimit.rules.guesses.charge-on=authentication-failure");
		for (int i = 0; i < 7; i++) {
			Response response = running.postForm("/login", "username=alice&password=guess" + i);
			assertThat(response.status()).isEqualTo((i < 5) ? 302 : 429);
		}
	}

	@Test
	void otherRequestBindingIsNotChanged() {
		RunningApplication running = applications.startWithRules(OwnRegistration.class, "all.rate=1/d");
		running.get("/basic");
		List<Boolean> bound = running.bean(OwnRegistration.class).bound;
		Poll.until(() -> bound.size() == 2, () -> "Seen are " + bound);
		assertThat(bound).containsExactly(true, true);
	}

	@Test
	void callOnAnotherThreadOfTheRequestIsChargedToTheUser() {
		RunningApplication running = applications.startWithRules(OtherThread.class, "other.paths=/other",
				"other.rate=1/d");
		assertThat(running.getAs("alice", "/basic/thread").status()).isEqualTo(200);
		assertThat(running.consumed("service", "alice")).isEqualTo(1);
	}

	/** Without an order, the filter is after Spring Security. */
	@Configuration(proxyBeanMethods = false)
	@Import({ SecuredApplication.class, RequestContextFilter.class })
	static class OwnFilter {

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ SecuredApplication.class, RequestContextListener.class })
	static class OwnListener {

	}

	@Configuration(proxyBeanMethods = false)
	@Import(SecuredApplication.class)
	static class OwnRegistration {

		final List<Boolean> bound = new CopyOnWriteArrayList<>();

		@Bean
		FilterRegistrationBean<RequestContextFilter> first() {
			FilterRegistrationBean<RequestContextFilter> registration = new FilterRegistrationBean<>(
					new RequestContextFilter());
			registration.setOrder(-1000);
			return registration;
		}

		@Bean
		FilterRegistrationBean<Filter> second() {
			FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>((request, response, chain) -> {
				this.bound.add(RequestContextHolder.getRequestAttributes() != null);
				chain.doFilter(request, response);
				this.bound.add(RequestContextHolder.getRequestAttributes() != null);
			});
			registration.setOrder(-500);
			return registration;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ SecuredApplication.class, Service.class, Handlers.class })
	static class OtherThread {

	}

	static class Service {

		@RateLimited(name = "service", rate = "1/d", burst = "100", scope = "user")
		public void call() {
		}

	}

	@RestController
	static class Handlers {

		private final Service service;

		Handlers(Service service) {
			this.service = service;
		}

		@GetMapping("/basic/thread")
		String callOnAnotherThread() throws InterruptedException {
			RequestAttributes attributes = RequestContextHolder.currentRequestAttributes();
			Thread thread = new Thread(() -> {
				RequestContextHolder.setRequestAttributes(attributes);
				this.service.call();
			});
			thread.start();
			thread.join();
			return "called";
		}

	}

}
