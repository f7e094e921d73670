package io.tierlimit.web;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

import io.tierlimit.spi.InvalidRequestValueException;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.Part;
import org.jspecify.annotations.Nullable;

import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;
import org.springframework.web.util.WebUtils;

/**
 * A request that determines the size of its body. If no header announces the size, the
 * request counts the bytes that are read through its stream or its reader. If the
 * container parses the body, the request counts the values of the form, or the contents
 * of the parts. Separators and escapes are not counted in that case.
 */
final class CountingRequest extends HttpServletRequestWrapper {

	private final long announced;

	private final AtomicLong bytes;

	private boolean parsed;

	private @Nullable ServletInputStream stream;

	private @Nullable BufferedReader reader;

	/**
	 * Creates a request.
	 * @param earlier the wrapper of the same request before it was dispatched without its
	 * wrappers, or {@code null}
	 */
	CountingRequest(HttpServletRequest request, @Nullable CountingRequest earlier) {
		super(request);
		this.announced = request.getContentLengthLong();
		this.bytes = (earlier != null) ? earlier.bytes : new AtomicLong();
		this.parsed = earlier != null && earlier.parsed;
		this.stream = (earlier != null) ? earlier.stream : null;
		this.reader = (earlier != null) ? earlier.reader : null;
	}

	/** Whether the size is counted, because it is not announced. */
	boolean isCounted() {
		return this.announced < 0;
	}

	/** Whether the container has parsed a body of unknown size. */
	boolean isParsed() {
		return isCounted() && this.parsed;
	}

	/**
	 * The size of the body; {@code null} if it is unknown. Called only at the end of the
	 * request, because the check whether there is a body may consume a byte.
	 */
	@Nullable Long bytes() {
		long size = isCounted() ? this.bytes.get() : this.announced;
		return (size > 0 || !isCounted() || hasNoBody()) ? (Long) size : null;
	}

	private boolean hasNoBody() {
		try {
			ServletInputStream known = this.stream;
			return (known != null && known.isFinished() && !isParsable())
					|| BodyTrackingRequest.hasNoBody((HttpServletRequest) getRequest());
		}
		catch (RuntimeException ex) {
			// Containers throw if a request is read after its end.
			return false;
		}
	}

	/**
	 * Whether the container or another filter may have read the body, so that the stream
	 * is empty.
	 */
	private boolean isParsable() {
		return ContentTypes.isForm(this) || ContentTypes.isMultipart(this);
	}

	@Override
	public ServletInputStream getInputStream() throws IOException {
		ServletInputStream known = this.stream;
		if (known == null) {
			known = new ReportingBody(super.getInputStream(), this.bytes::addAndGet);
			this.stream = known;
		}
		return known;
	}

	@Override
	public BufferedReader getReader() throws IOException {
		BufferedReader known = this.reader;
		if (known == null) {
			known = new BufferedReader(new InputStreamReader(getInputStream(),
					Objects.requireNonNullElse(getCharacterEncoding(), WebUtils.DEFAULT_CHARACTER_ENCODING)));
			this.reader = known;
		}
		return known;
	}

	@Override
	public Collection<Part> getParts() throws IOException, ServletException {
		return counted(super.getParts());
	}

	@Override
	public @Nullable Part getPart(String name) throws IOException, ServletException {
		return counted(super.getPart(name));
	}

	@Override
	public @Nullable String getParameter(String name) {
		return counted(super.getParameter(name));
	}

	@Override
	public Map<String, String[]> getParameterMap() {
		return counted(super.getParameterMap());
	}

	@Override
	public Enumeration<String> getParameterNames() {
		return counted(super.getParameterNames());
	}

	@Override
	public String @Nullable [] getParameterValues(String name) {
		return counted(super.getParameterValues(name));
	}

	/**
	 * Counts the body that the container has parsed. Spring MVC deletes the parts of an
	 * upload before the request ends, so they are counted at once.
	 * @param value a part of the body
	 * @return the value
	 */
	private <T extends @Nullable Object> T counted(T value) {
		if (!this.parsed && ContentTypes.isForm(this)) {
			this.bytes.addAndGet(sizeOfForm());
			this.parsed = true;
		}
		else if (!this.parsed && ContentTypes.isMultipart(this) && this.stream == null) {
			countParts();
		}
		return value;
	}

	private void countParts() {
		try {
			this.bytes.addAndGet(super.getParts().stream().mapToLong(Part::getSize).sum());
			this.parsed = true;
		}
		catch (IOException | ServletException | RuntimeException ex) {
			// The container does not parse this request, or has reported a failure.
		}
	}

	/**
	 * The size of the parameters without the parameters of the query, which precede them.
	 */
	private long sizeOfForm() {
		MultiValueMap<String, String> query = query();
		long size = 0;
		for (Map.Entry<String, String[]> parameter : super.getParameterMap().entrySet()) {
			String[] values = parameter.getValue();
			for (int i = query.getOrDefault(parameter.getKey(), List.of()).size(); i < values.length; i++) {
				size += sizeOf(parameter.getKey()) + sizeOf(values[i]);
			}
		}
		return size;
	}

	/** The parameters of the query; empty if the query cannot be decoded. */
	private MultiValueMap<String, String> query() {
		try {
			return QueryParameters.of(this);
		}
		catch (InvalidRequestValueException ex) {
			return new LinkedMultiValueMap<>();
		}
	}

	private static long sizeOf(String text) {
		return text.getBytes(StandardCharsets.UTF_8).length;
	}

}
