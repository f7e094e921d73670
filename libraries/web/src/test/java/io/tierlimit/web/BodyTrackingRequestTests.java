package io.tierlimit.web;

import java.io.IOException;
import java.io.InputStream;

import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.mock.web.DelegatingServletInputStream;
import org.springframework.mock.web.MockHttpServletRequest;

import static org.assertj.core.api.Assertions.assertThat;

class BodyTrackingRequestTests {

	private static final int NOT_ANNOUNCED = -1;

	@Test
	void announcedBodyIsReadOnceItsStreamIsInUse() throws IOException {
		HttpServletRequest request = tracked(1, 1);
		assertThat(BodyTrackingRequest.isBodyRead(request)).isFalse();
		request.getInputStream();
		assertThat(BodyTrackingRequest.isBodyRead(request)).isTrue();
	}

	@Test
	void otherBodyIsReadOnceAByteIsRead() throws IOException {
		HttpServletRequest request = tracked(2, NOT_ANNOUNCED);
		HttpServletRequest inBlocks = tracked(2, NOT_ANNOUNCED);
		request.getInputStream();
		assertThat(BodyTrackingRequest.isBodyRead(request)).isFalse();
		request.getInputStream().read();
		assertThat(BodyTrackingRequest.isBodyRead(request)).isTrue();
		assertThat(inBlocks.getInputStream().readAllBytes()).hasSize(2);
		assertThat(BodyTrackingRequest.isBodyRead(inBlocks)).isTrue();
	}

	@Test
	void bodyWithoutAByteIsNeverRead() throws IOException {
		HttpServletRequest request = tracked(0, NOT_ANNOUNCED);
		assertThat(request.getInputStream().readAllBytes()).isEmpty();
		assertThat(request.getInputStream().isFinished()).isTrue();
		assertThat(BodyTrackingRequest.isBodyRead(request)).isFalse();
	}

	@Test
	void endOfTheStreamShowsThatThereIsNoBody() throws IOException {
		assertThat(BodyTrackingRequest.hasNoBody(tracked(0, NOT_ANNOUNCED))).isTrue();
		assertThat(BodyTrackingRequest.hasNoBody(tracked(1, NOT_ANNOUNCED))).isFalse();
		assertThat(BodyTrackingRequest.hasNoBody(tracked(1, 1))).isFalse();
		HttpServletRequest consumed = tracked(1, NOT_ANNOUNCED);
		consumed.getInputStream().readAllBytes();
		assertThat(BodyTrackingRequest.hasNoBody(consumed)).isFalse();
	}

	@Test
	void bodyThatHasNotArrivedIsNotAwaited() {
		MockHttpServletRequest request = new MockHttpServletRequest("OPTIONS", "/any") {

			@Override
			public boolean isTrailerFieldsReady() {
				return false;
			}

		};
		request.setProtocol("HTTP/2.0");
		assertThat(BodyTrackingRequest.hasNoBody(BodyTrackingRequest.of(request))).isFalse();
	}

	@ParameterizedTest
	@CsvSource({ "false, false, false", "true, false, false", "true, true, true" })
	void endIsReadOnlyIfTheContainerHasReceivedIt(boolean received, boolean ended, boolean noBody) {
		ServletInputStream body = new WaitingStream(received, ended);
		MockHttpServletRequest request = new MockHttpServletRequest("OPTIONS", "/any") {

			@Override
			public ServletInputStream getInputStream() {
				return body;
			}

		};
		request.setProtocol("HTTP/2.0");
		assertThat(BodyTrackingRequest.hasNoBody(BodyTrackingRequest.of(request))).isEqualTo(noBody);
	}

	@Test
	void requestWhoseReaderIsInUseHasABody() throws IOException {
		HttpServletRequest request = tracked(0, NOT_ANNOUNCED);
		request.getReader();
		assertThat(BodyTrackingRequest.hasNoBody(request)).isFalse();
	}

	private static HttpServletRequest tracked(int length, int announced) {
		MockHttpServletRequest request = new MockHttpServletRequest("POST", "/any") {

			@Override
			public long getContentLengthLong() {
				return announced;
			}

		};
		request.setProtocol("HTTP/2.0");
		request.setContent(new byte[length]);
		return BodyTrackingRequest.of(request);
	}

	/**
	 * A stream with the method of Jetty's stream. It reports the end of the body only
	 * after a read.
	 */
	public static final class WaitingStream extends DelegatingServletInputStream {

		private final boolean received;

		private final boolean ended;

		private boolean fetched;

		private WaitingStream(boolean received, boolean ended) {
			super(InputStream.nullInputStream());
			this.received = received;
			this.ended = ended;
		}

		public boolean hasContent() {
			return this.fetched;
		}

		@Override
		public int available() {
			this.fetched = this.received;
			return (this.received && !this.ended) ? 1 : 0;
		}

		@Override
		public int read() {
			assertThat(this.received).as("a read would wait").isTrue();
			return this.ended ? -1 : 0;
		}

		@Override
		public int read(byte[] bytes, int offset, int length) {
			throw new UnsupportedOperationException();
		}

		@Override
		public boolean isFinished() {
			return false;
		}

	}

}
