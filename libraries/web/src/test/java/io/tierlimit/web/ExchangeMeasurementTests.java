package io.tierlimit.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.junit.jupiter.api.Test;

import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

import static org.assertj.core.api.Assertions.assertThat;

class ExchangeMeasurementTests {

	private final ExchangeMeasurement measurement = new ExchangeMeasurement(() -> 0);

	private final MockHttpServletRequest request = new MockHttpServletRequest("POST", "/any");

	@Test
	void factsThatWereNotMeasuredAreUnknown() {
		assertThat(new ExchangeMeasurement(null).end(null).duration()).isNull();
		assertThat(this.measurement.end(null).requestBytes()).isNull();
		assertThat(this.measurement.end(null).responseBytes()).isNull();
		assertThat(this.measurement.end(null).responseHeader("X-Units")).isNull();
	}

	@Test
	void responseToWhichNothingIsWrittenHasTheSizeZero() {
		this.measurement.track(new MockHttpServletResponse(), (failure) -> {
		}, true);
		assertThat(this.measurement.end(null).responseBytes()).isZero();
	}

	@Test
	void bytesOfAResponseAreCountedOnlyIfARuleReadsThem() throws Exception {
		MockHttpServletResponse sent = new MockHttpServletResponse();
		HttpServletResponse response = this.measurement.track(sent, (failure) -> {
		}, false);
		response.getWriter().print("text");
		response.flushBuffer();
		assertThat(sent.getContentAsString()).isEqualTo("text");
		assertThat(this.measurement.end(null).responseBytes()).isNull();
	}

	@Test
	void requestWithALengthIsNotWrapped() {
		this.request.setContent(new byte[3]);
		assertThat(this.measurement.measure(this.request)).isSameAs(this.request);
		assertThat(this.measurement.end(null).requestBytes()).isEqualTo(3);
	}

	@Test
	void announcedLengthRemainsValidAfterAForwardWithoutIt() {
		this.request.setContent(new byte[3]);
		this.measurement.measure(this.request);
		MockHttpServletRequest forwarded = new MockHttpServletRequest("GET", "/view");
		assertThat(this.measurement.measure(forwarded)).isSameAs(forwarded);
		assertThat(this.measurement.end(null).requestBytes()).isEqualTo(3);
	}

	@Test
	void dispatchWithoutTheWrapperContinuesTheCount() throws Exception {
		MockHttpServletRequest chunked = new MockHttpServletRequest("POST", "/any") {

			@Override
			public long getContentLengthLong() {
				return -1;
			}

		};
		chunked.setContent(new byte[2]);
		this.measurement.measure(chunked).getInputStream().read();
		this.measurement.measure(chunked).getInputStream().read();
		assertThat(this.measurement.end(null).requestBytes()).isEqualTo(2);
	}

	@Test
	void nothingIsWrappedTwice() {
		HttpServletRequest request = new HttpServletRequestWrapper(this.measurement.measure(this.request));
		assertThat(this.measurement.measure(request)).isSameAs(request);
		HttpServletResponse response = new HttpServletResponseWrapper(
				this.measurement.track(new MockHttpServletResponse(), (failure) -> {
				}, true));
		assertThat(this.measurement.track(response, (failure) -> {
		}, true)).isSameAs(response);
	}

}
