package io.tierlimit.application;

import java.io.IOException;
import java.util.concurrent.Callable;

import io.tierlimit.application.EndingApplication.Gate;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/**
 * Handlers whose requests end in every possible way.
 */
@RestController
class EndingHandlers {

	/** Jetty loses a timeout that ends while Jetty registers it. */
	private static final long TIMEOUT_MILLIS = 100;

	private final Gate gate;

	EndingHandlers(Gate gate) {
		this.gate = gate;
	}

	@RequestMapping("/committed")
	void committed(int status, HttpServletResponse response) throws IOException {
		response.setStatus(status);
		response.flushBuffer();
		throw new IllegalStateException("on purpose");
	}

	@RequestMapping("/uncommitted")
	void uncommitted(int status, HttpServletResponse response) {
		response.setStatus(status);
		throw new IllegalStateException("on purpose");
	}

	@RequestMapping("/mine")
	String mine() {
		return "mine";
	}

	@RequestMapping({ "/status", "/failing-late", "/late/guess" })
	ResponseEntity<String> status(int status) {
		return ResponseEntity.status(status).body("done");
	}

	@PostMapping("/posted")
	ResponseEntity<String> posted(int status) {
		return status(status);
	}

	@RequestMapping("/error-page")
	void sendError(int status, HttpServletResponse response) throws IOException {
		response.sendError(status);
	}

	@RequestMapping({ "/gate", "/late" })
	ResponseEntity<String> gate(int status) {
		this.gate.pass();
		return status(status);
	}

	@RequestMapping("/callable")
	Callable<ResponseEntity<String>> callable(int status) {
		return () -> gate(status);
	}

	@RequestMapping("/deferred")
	DeferredResult<ResponseEntity<String>> deferred(int status) {
		DeferredResult<ResponseEntity<String>> result = new DeferredResult<>();
		new Thread(() -> result.setResult(gate(status))).start();
		return result;
	}

	@RequestMapping("/timeout")
	DeferredResult<String> timeout() {
		return new DeferredResult<>(TIMEOUT_MILLIS);
	}

	@RequestMapping("/exception")
	String exception() {
		throw new IllegalStateException("on purpose");
	}

	@RequestMapping("/io-exception")
	String ioException() throws IOException {
		throw new IOException("on purpose");
	}

	@RequestMapping("/callable/exception")
	Callable<String> callableException() {
		return this::exception;
	}

	@RequestMapping("/leaving")
	void leaving(HttpServletResponse response) throws IOException {
		this.gate.pass();
		EndingApplication.writeForEver(response.getOutputStream());
	}

	@RequestMapping("/leaving/async")
	StreamingResponseBody leavingAsync() {
		return (output) -> {
			this.gate.pass();
			EndingApplication.writeForEver(output);
		};
	}

}
