package io.tierlimit.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.junit.jupiter.api.Test;

import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

import static org.assertj.core.api.Assertions.assertThat;

class ExchangeFactsRecorderTests {

	private final ExchangeFactsRecorder recorder = new ExchangeFactsRecorder(() -> 0);

	private final MockHttpServletRequest request = new MockHttpServletRequest("POST", "/any");

	@Test
	void factsThatWereNotMeasuredAreUnknown() {
		assertThat(new ExchangeFactsRecorder(null).end(null).duration()).isNull();
		assertThat(this.recorder.end(null).requestBytes()).isNull();
		assertThat(this.recorder.end(null).responseBytes()).isNull();
		assertThat(this.recorder.end(null).responseHeader("X-Units")).isNull();
	}

	@Test
	void responseToWhichNothingIsWrittenHasTheSizeZero() {
		this.recorder.track(new MockHttpServletResponse(), (failure) -> {
		}, true);
		assertThat(this.recorder.end(null).responseBytes()).isZero();
	}

	@Test
	void bytesOfAResponseAreCountedOnlyIfARuleReadsThem() throws Exception {
		MockHttpServletResponse sent = new MockHttpServletResponse();
		HttpServletResponse response = this.recorder.track(sent, (failure) -> {
		}, false);
		response.getWriter().print("text");
		response.flushBuffer();
		assertThat(sent.getContentAsString()).isEqualTo("text");
		assertThat(this.recorder.end(null).responseBytes()).isNull();
	}

	@Test
	void requestWithALengthIsNotWrapped() {
		this.request.setContent(new byte[3]);
		assertThat(this.recorder.countBody(this.request)).isSameAs(this.request);
		assertThat(this.recorder.end(null).requestBytes()).isEqualTo(3);
	}

	@Test
	void announcedLengthRemainsValidAfterAForwardWithoutIt() {
		this.request.setContent(new byte[3]);
		this.recorder.countBody(this.request);
		MockHttpServletRequest forwarded = new MockHttpServletRequest("GET", "/view");
		assertThat(this.recorder.countBody(forwarded)).isSameAs(forwarded);
		assertThat(this.recorder.end(null).requestBytes()).isEqualTo(3);
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
		this.recorder.countBody(chunked).getInputStream().read();
		this.recorder.countBody(chunked).getInputStream().read();
		assertThat(this.recorder.end(null).requestBytes()).isEqualTo(2);
	}

	@Test
	void nothingIsWrappedTwice() {
		HttpServletRequest request = new HttpServletRequestWrapper(this.recorder.countBody(this.request));
		assertThat(this.recorder.countBody(request)).isSameAs(request);
		HttpServletResponse response = new HttpServletResponseWrapper(
				this.recorder.track(new MockHttpServletResponse(), (failure) -> {
				}, true));
		assertThat(this.recorder.track(response, (failure) -> {
		}, true)).isSameAs(response);
	}

}
