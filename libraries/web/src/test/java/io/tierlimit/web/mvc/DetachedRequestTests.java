package io.tierlimit.web.mvc;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

import jakarta.servlet.http.HttpServletRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockPart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

class DetachedRequestTests {

	private final MockHttpServletRequest request = new MockHttpServletRequest("POST", "/any");

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void bodyIsLeftToTheRequest(boolean arrived) throws IOException {
		this.request.setContent("content".getBytes(StandardCharsets.UTF_8));
		HttpServletRequest copy = new DetachedRequest(this.request, arrived);
		assertThatIOException().isThrownBy(copy::getInputStream);
		assertThatIOException().isThrownBy(copy::getReader);
		assertThat(this.request.getInputStream().readAllBytes()).asString().isEqualTo("content");
	}

	@Test
	void requestWithoutABodyHasAnEmptyOne() throws IOException {
		HttpServletRequest copy = new DetachedRequest(this.request, false);
		assertThat(copy.getInputStream().readAllBytes()).isEmpty();
		assertThat(copy.getInputStream().isFinished()).isTrue();
		assertThat(copy.getReader().readLine()).isNull();
		assertThat(this.request.getReader().readLine()).as("not in use by the copy").isNull();
	}

	@Test
	void partsAreLeftToTheRequest() throws Exception {
		this.request.addPart(new MockPart("own", new byte[1]));
		HttpServletRequest copy = new DetachedRequest(this.request, true);
		assertThat(copy.getParts()).isEmpty();
		assertThat(copy.getPart("own")).isNull();
	}

	@Test
	void formIsReadForItsParametersUnlessItsBodyWasSought() {
		this.request.setContentType("application/x-www-form-urlencoded");
		this.request.setContent(new byte[5]);
		this.request.setQueryString("q=1");
		this.request.addParameter("own", "1");
		HttpServletRequest copy = new DetachedRequest(this.request, true);
		assertThat(copy.getParameter("own")).isEqualTo("1");
		assertThatIOException().isThrownBy(copy::getInputStream);
		assertThat(copy.getParameter("own")).isNull();
		assertThat(copy.getParameter("q")).isEqualTo("1");
	}

}
