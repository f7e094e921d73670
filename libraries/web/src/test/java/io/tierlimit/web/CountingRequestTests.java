package io.tierlimit.web;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;

import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.Part;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockPart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class CountingRequestTests {

	private static final String FORM = "application/x-www-form-urlencoded";

	private static final String MULTIPART = "multipart/form-data; boundary=x";

	private final Chunked request = new Chunked();

	@Test
	void announcedLengthIsTheSizeEvenIfNothingIsRead() {
		MockHttpServletRequest announced = new MockHttpServletRequest("POST", "/any");
		announced.setContent(new byte[5]);
		CountingRequest measured = measured(announced);
		assertThat(measured.isCounted()).isFalse();
		assertThat(measured.bytes()).isEqualTo(5);
		announced.setContent(new byte[0]);
		assertThat(measured(announced).bytes()).isZero();
		assertThat(measured(new MockHttpServletRequest("GET", "/any")).bytes()).isZero();
	}

	@Test
	void bytesThatAreReadThroughTheStreamAreCounted() throws Exception {
		CountingRequest measured = chunked("0123456789");
		ServletInputStream body = measured.getInputStream();
		assertThat(body.read()).isEqualTo('0');
		assertThat(body.readNBytes(3)).hasSize(3);
		assertThat(body.skip(2)).isEqualTo(2);
		assertThat(measured.bytes()).isEqualTo(6);
		assertThat(measured.getInputStream().readAllBytes()).hasSize(4);
		assertThat(measured.bytes()).isEqualTo(10);
	}

	@ParameterizedTest
	@CsvSource({ "UTF-8, UTF-8", "ISO-8859-1, ISO-8859-1", "UTF-16, UTF-16", ", ISO-8859-1" })
	void bytesThatAreReadThroughTheReaderAreCountedInTheEncodingOfTheRequest(@Nullable String encoding, Charset used)
			throws Exception {
		byte[] content = "gr\u00fc\u00df\n1".getBytes(used);
		CountingRequest measured = chunked(content);
		if (encoding != null) {
			measured.setCharacterEncoding(encoding);
		}
		assertThat(measured.getReader().readLine()).isEqualTo("gr\u00fc\u00df");
		assertThat(measured.getReader().readLine()).isEqualTo("1");
		assertThat(measured.bytes()).isEqualTo(content.length);
	}

	@Test
	void sizeOfABodyThatIsNotReadIsUnknown() {
		CountingRequest measured = chunked("body");
		assertThat(measured.bytes()).isNull();
		this.request.ended = true;
		assertThat(measured.bytes()).as("can no longer be read").isNull();
	}

	@Test
	void emptyBodyThatWasReadHasTheSizeZero() throws Exception {
		CountingRequest measured = chunked("");
		assertThat(measured.getInputStream().read()).isEqualTo(-1);
		assertThat(measured.bytes()).isZero();
	}

	@ParameterizedTest
	@MethodSource("reads")
	void valuesOfAFormAreCountedOnce(Read read) throws Exception {
		CountingRequest measured = chunked(FORM);
		this.request.addParameter("name", "\u00fc", "b");
		this.request.addParameter("c", "");
		read.from(measured);
		read.from(measured);
		assertThat(measured.bytes()).isEqualTo(4 + 2 + 4 + 1 + 1);
	}

	static List<Read> reads() {
		return List.of((request) -> request.getParameter("name"), HttpServletRequest::getParameterMap,
				HttpServletRequest::getParameterNames, (request) -> request.getParameterValues("name"));
	}

	@ParameterizedTest
	@CsvSource({ "a=1, 2", "a=1&a=2, 0", "b=1, 4", "=12345678, 4", "a=%zz, 4", ", 4" })
	void valuesOfTheQueryAreNotCounted(String query, long expected) {
		CountingRequest measured = chunked(FORM);
		this.request.setQueryString(query);
		this.request.addParameter("a", "1", "2");
		measured.getParameter("a");
		assertThat(measured.bytes()).isEqualTo((expected > 0) ? expected : null);
	}

	@Test
	void sizeOfAFormThatAnotherFilterMayHaveReadIsUnknown() throws Exception {
		CountingRequest measured = chunked(FORM);
		assertThat(measured.getInputStream().read()).isEqualTo(-1);
		assertThat(measured.bytes()).isNull();
	}

	@Test
	void parametersAreOnlyCountedIfTheRequestIsAForm() {
		CountingRequest measured = chunked("text/plain");
		this.request.addParameter("a", "1");
		measured.getParameter("a");
		assertThat(measured.bytes()).isNull();
	}

	@ParameterizedTest
	@MethodSource("readsOfParts")
	void contentsOfPartsAreCountedOnceAndBeforeTheyAreDeleted(Read read) throws Exception {
		CountingRequest measured = chunked(MULTIPART);
		Upload file = new Upload(1000);
		this.request.addPart(file);
		this.request.addPart(new MockPart("field", new byte[5]));
		read.from(measured);
		file.delete();
		read.from(measured);
		assertThat(measured.bytes()).isEqualTo(1005);
	}

	static List<Read> readsOfParts() {
		return List.of((request) -> request.getParameter("field"), HttpServletRequest::getParts,
				(request) -> request.getPart("file"));
	}

	@Test
	void partsAreCountedOnceTheContainerParsesThem() throws Exception {
		CountingRequest measured = chunked(MULTIPART);
		this.request.addPart(new MockPart("file", new byte[9]));
		this.request.unconfigured = true;
		measured.getParameter("field");
		assertThatIllegalStateException().isThrownBy(measured::getParts);
		assertThat(measured.bytes()).isNull();
		this.request.unconfigured = false;
		measured.getParts();
		assertThat(measured.bytes()).isEqualTo(9);
	}

	@Test
	void partsAreNotParsedIfTheStreamIsInUse() throws Exception {
		CountingRequest measured = chunked(MULTIPART);
		this.request.setContent(new byte[7]);
		this.request.addPart(new MockPart("file", new byte[9]));
		measured.getInputStream().readAllBytes();
		measured.getParameter("field");
		assertThat(measured.bytes()).isEqualTo(7);
	}

	@Test
	void wrapperOfADispatchContinuesTheCount() throws Exception {
		CountingRequest first = chunked("line\nrest");
		BufferedReader reader = first.getReader();
		assertThat(reader.readLine()).isEqualTo("line");
		CountingRequest second = new CountingRequest(this.request, first);
		assertThat(second.getReader().readLine()).isEqualTo("rest");
		assertThat(second.bytes()).isEqualTo(9);
	}

	@Test
	void wrapperOfADispatchParsesNoPartsIfTheStreamIsInUse() throws Exception {
		CountingRequest first = chunked(MULTIPART);
		this.request.setContent(new byte[7]);
		this.request.addPart(new MockPart("file", new byte[9]));
		first.getInputStream().readAllBytes();
		CountingRequest second = new CountingRequest(this.request, first);
		second.getParameter("field");
		assertThat(second.bytes()).isEqualTo(7);
	}

	@Test
	void wrapperOfADispatchCountsAFormOnce() {
		CountingRequest first = chunked(FORM);
		this.request.addParameter("a", "1");
		first.getParameter("a");
		CountingRequest second = new CountingRequest(this.request, first);
		second.getParameter("a");
		assertThat(second.bytes()).isEqualTo(2);
	}

	private CountingRequest chunked(byte[] content) {
		this.request.setContent(content);
		return measured(this.request);
	}

	/** A request with a text, or with a content type. */
	private CountingRequest chunked(String content) {
		if (content.contains("/")) {
			this.request.setContentType(content);
			return chunked(new byte[0]);
		}
		return chunked(content.getBytes(StandardCharsets.UTF_8));
	}

	private static CountingRequest measured(MockHttpServletRequest request) {
		return new CountingRequest(BodyTrackingRequest.of(request), null);
	}

	@FunctionalInterface
	interface Read {

		void from(HttpServletRequest request) throws IOException, ServletException;

	}

	private static final class Upload extends MockPart {

		private boolean deleted;

		private Upload(int size) {
			super("file", new byte[size]);
		}

		@Override
		public void delete() {
			this.deleted = true;
		}

		@Override
		public long getSize() {
			return this.deleted ? 0 : super.getSize();
		}

	}

	/** A request whose length is not announced. */
	private static final class Chunked extends MockHttpServletRequest {

		private boolean ended;

		private boolean unconfigured;

		private Chunked() {
			super("POST", "/any");
			addHeader("Transfer-Encoding", "chunked");
		}

		@Override
		public long getContentLengthLong() {
			if (this.ended) {
				throw new IllegalStateException("The request has ended");
			}
			return -1;
		}

		@Override
		public Collection<Part> getParts() throws IOException, ServletException {
			if (this.unconfigured) {
				throw new IllegalStateException("No multipart configuration");
			}
			return super.getParts();
		}

	}

}
