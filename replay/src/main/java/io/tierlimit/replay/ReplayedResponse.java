package io.tierlimit.replay;

import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.List;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;

/**
 * The response to a replayed request. Only the status is kept.
 */
final class ReplayedResponse extends HttpServletResponseWrapper {

	private static final HttpServletResponse NOT_LOGGED = (HttpServletResponse) Proxy.newProxyInstance(
			ReplayedResponse.class.getClassLoader(), new Class<?>[] { HttpServletResponse.class },
			(proxy, method, arguments) -> {
				throw new UnsupportedOperationException("A replayed response has no " + method.getName());
			});

	private int status = SC_OK;

	ReplayedResponse() {
		super(NOT_LOGGED);
	}

	@Override
	public void setStatus(int status) {
		this.status = status;
	}

	@Override
	public int getStatus() {
		return this.status;
	}

	@Override
	public void setHeader(String name, @Nullable String value) {
	}

	@Override
	public void addHeader(String name, String value) {
	}

	@Override
	public boolean containsHeader(String name) {
		return false;
	}

	@Override
	public Collection<String> getHeaders(String name) {
		return List.of();
	}

	@Override
	public Collection<String> getHeaderNames() {
		return List.of();
	}

	@Override
	public void setContentType(@Nullable String type) {
	}

	@Override
	public void setContentLength(int length) {
	}

	@Override
	public boolean isCommitted() {
		return false;
	}

	@Override
	public void reset() {
	}

	@Override
	public ServletOutputStream getOutputStream() {
		return new ServletOutputStream() {

			@Override
			public boolean isReady() {
				return true;
			}

			@Override
			public void setWriteListener(WriteListener listener) {
				throw new UnsupportedOperationException("A replayed response is not asynchronous");
			}

			@Override
			public void write(int value) {
			}

		};
	}

}
