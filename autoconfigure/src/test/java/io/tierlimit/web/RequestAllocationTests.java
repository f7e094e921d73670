package io.tierlimit.web;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import javax.management.JMException;
import javax.management.ObjectName;

import com.sun.management.ThreadMXBean;
import io.tierlimit.autoconfigure.TierlimitAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitMethodAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitServletAutoConfiguration;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests how many bytes and objects the filter allocates for one request, without the
 * container's own allocations. The bounds have a margin for other JDKs.
 */
class RequestAllocationTests {

	private static final int WARM_UP = 20_000;

	private static final int MEASURED = 2_000;

	private static final FilterChain NOTHING = (request, response) -> {
	};

	private static final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

	@ParameterizedTest(name = "{0} rules, status {1}: at most {2} bytes in {3} objects")
	@CsvSource({ "0, 200, 150, 3", "1, 200, 2000, 65", "4, 200, 3600, 105", "4, 429, 3300, 105" })
	void requestAllocatesLittle(int rules, int status, long bytes, long objects) {
		List<String> properties = new ArrayList<>(
				List.of("tierlimit.rules.other.paths=/other", "tierlimit.rules.other.rate=1/s"));
		for (int i = 0; i < rules; i++) {
			properties.add("tierlimit.rules.r" + i + ".scope=ip");
			properties.add("tierlimit.rules.r" + i + ".paths=/limited");
			properties.add("tierlimit.rules.r" + i + ".rate=" + ((i > 0 || status == 200) ? "1000000/s" : "1/d"));
		}
		new WebApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(TierlimitAutoConfiguration.class,
					TierlimitMethodAutoConfiguration.class, TierlimitServletAutoConfiguration.class))
			.withPropertyValues(properties.toArray(String[]::new))
			.run((context) -> {
				Filter filter = Objects.requireNonNull(
						context.getBean("rateLimitFilterRegistration", FilterRegistrationBean.class).getFilter());
				Request request = new Request();
				Response response = new Response();
				serve(filter, request, response, WARM_UP);
				assertThat(response.getStatus()).isEqualTo(status);
				long leastBytes = Long.MAX_VALUE;
				long leastObjects = Long.MAX_VALUE;
				// Other threads may create objects, and the garbage collector removes
				// objects.
				for (int round = 0; round < 5; round++) {
					long objectsBefore = objects();
					long bytesBefore = threads.getCurrentThreadAllocatedBytes();
					serve(filter, request, response, MEASURED);
					leastBytes = Math.min(leastBytes, threads.getCurrentThreadAllocatedBytes() - bytesBefore);
					long created = objects() - objectsBefore;
					leastObjects = (created > 0) ? Math.min(leastObjects, created) : leastObjects;
				}
				assertThat(leastBytes / MEASURED).as("bytes").isBetween(1L, bytes);
				assertThat(leastObjects / MEASURED).as("objects").isBetween(1L, objects);
			});
	}

	private static void serve(Filter filter, Request request, Response response, int times)
			throws ServletException, IOException {
		for (int i = 0; i < times; i++) {
			request.attributes.clear();
			response.setStatus(200);
			filter.doFilter(request, response, NOTHING);
		}
	}

	/** The objects on the heap, including objects that are no longer reachable. */
	private static long objects() throws JMException {
		String histogram = (String) ManagementFactory.getPlatformMBeanServer()
			.invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcClassHistogram",
					new Object[] { new String[] { "-all" } }, new String[] { String[].class.getName() });
		String[] total = histogram.substring(histogram.lastIndexOf("Total")).trim().split("\\s+", -1);
		return Long.parseLong(total[1]);
	}

	/** A request whose attributes and headers require no new objects. */
	private static final class Request extends HttpServletRequestWrapper {

		private final Map<String, Object> attributes = new HashMap<>();

		Request() {
			super(mock());
		}

		private static MockHttpServletRequest mock() {
			MockHttpServletRequest mock = new MockHttpServletRequest("GET", "/limited");
			mock.setServletPath("/limited");
			mock.setRemoteAddr("192.0.2.1");
			return mock;
		}

		@Override
		public @Nullable Object getAttribute(String name) {
			return this.attributes.get(name);
		}

		@Override
		public void setAttribute(String name, Object value) {
			this.attributes.put(name, value);
		}

		@Override
		public @Nullable String getHeader(String name) {
			return null;
		}

	}

	/** A response whose status requires no new objects, and that stores no headers. */
	private static final class Response extends HttpServletResponseWrapper {

		Response() {
			super(new MockHttpServletResponse());
		}

		@Override
		public void setHeader(String name, @Nullable String value) {
			// Excluded, because each container stores headers in its own way.
		}

		@Override
		public boolean isCommitted() {
			return false;
		}

	}

}
