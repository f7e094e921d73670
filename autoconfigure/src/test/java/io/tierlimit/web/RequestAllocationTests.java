package io.tierlimit.web;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.sun.management.ThreadMXBean;
import io.tierlimit.autoconfigure.TierlimitAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitMethodAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitServletAutoConfiguration;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests how many bytes the filter allocates for one request, without those that a
 * container allocates for the headers. The bounds have a margin for other JDKs.
 */
class RequestAllocationTests {

	private static final int WARM_UP = 5_000;

	private static final int MEASURED = 1_000;

	private static final FilterChain NOTHING = (request, response) -> {
	};

	private static final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

	@ParameterizedTest
	@CsvSource({ "0, 1300", "1, 6500", "4, 10500" })
	void allowedRequestAllocatesLittle(int rules, long bytes) {
		String[] properties = IntStream.range(0, rules)
			.boxed()
			.flatMap((i) -> Stream.of("tierlimit.rules.r" + i + ".scope=ip",
					"tierlimit.rules.r" + i + ".paths=/limited", "tierlimit.rules.r" + i + ".rate=1000000/s"))
			.toArray(String[]::new);
		new WebApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(TierlimitAutoConfiguration.class,
					TierlimitMethodAutoConfiguration.class, TierlimitServletAutoConfiguration.class))
			.withPropertyValues("tierlimit.rules.other.paths=/other", "tierlimit.rules.other.rate=1/s")
			.withPropertyValues(properties)
			.run((context) -> {
				Filter filter = context.getBean("rateLimitFilterRegistration", FilterRegistrationBean.class)
					.getFilter();
				assertThat(bytes(Objects.requireNonNull(filter))).isBetween(0L, bytes);
			});
	}

	private static long bytes(Filter filter) throws ServletException, IOException {
		for (int i = 0; i < WARM_UP; i++) {
			allocated(filter);
		}
		long[] measured = new long[MEASURED];
		for (int i = 0; i < MEASURED; i++) {
			measured[i] = allocated(filter);
		}
		Arrays.sort(measured);
		return measured[MEASURED / 2];
	}

	private static long allocated(Filter filter) throws ServletException, IOException {
		MockHttpServletRequest request = new MockHttpServletRequest("GET", "/limited");
		request.setRemoteAddr("192.0.2.1");
		HttpServletResponse response = new HttpServletResponseWrapper(new MockHttpServletResponse()) {

			@Override
			public void setHeader(String name, String value) {
				// The objects of the mocks do not count.
			}

		};
		long before = threads.getCurrentThreadAllocatedBytes();
		filter.doFilter(request, response, NOTHING);
		return threads.getCurrentThreadAllocatedBytes() - before;
	}

}
