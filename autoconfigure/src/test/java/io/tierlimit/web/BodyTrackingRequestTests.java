package io.tierlimit.web;

import java.io.IOException;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
		MockHttpServletRequest request = new UnendedRequest();
		assertThat(BodyTrackingRequest.hasNoBody(BodyTrackingRequest.of(request))).isFalse();
	}

	@ParameterizedTest
	@CsvSource({ "false, false, false", "true, false, false", "true, true, true" })
	void endIsReadOnlyIfTheContainerHasReceivedIt(boolean received, boolean ended, boolean noBody) {
		MockHttpServletRequest request = new WaitingRequest(received, ended);
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

	/** A request of HTTP/2 whose stream has not ended. Reading would wait for its end. */
	private static final class UnendedRequest extends MockHttpServletRequest {

		private UnendedRequest() {
			super("OPTIONS", "/any");
			setProtocol("HTTP/2.0");
		}

		@Override
		public boolean isTrailerFieldsReady() {
			return false;
		}

	}

	/**
	 * A request whose container reports the end of the body only to a reader, as Jetty.
	 */
	private static final class WaitingRequest extends MockHttpServletRequest {

		private final ServletInputStream body;

		private WaitingRequest(boolean received, boolean ended) {
			super("OPTIONS", "/any");
			setProtocol("HTTP/2.0");
			this.body = new WaitingStream(received, ended);
		}

		@Override
		public ServletInputStream getInputStream() {
			return this.body;
		}

	}

	/** A stream with the method of Jetty's stream. */
	public static final class WaitingStream extends ServletInputStream {

		private final boolean received;

		private final boolean ended;

		private boolean fetched;

		private WaitingStream(boolean received, boolean ended) {
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

		@Override
		public boolean isReady() {
			return available() > 0;
		}

		@Override
		public void setReadListener(ReadListener listener) {
			throw new UnsupportedOperationException();
		}

	}

}
