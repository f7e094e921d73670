package io.tierlimit.web;

import io.tierlimit.evaluation.Stage;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * A target (method and path) of a request, with the stages that were evaluated for it.
 * The request may return to an earlier target, which has the same method and path.
 */
@SuppressWarnings("EnumOrdinal") // an EnumSet is one more object for each request
final class EvaluatedTarget {

	private final String method;

	private final String uri;

	private final @Nullable EvaluatedTarget earlier;

	/** One bit for each stage. */
	private int started;

	EvaluatedTarget(HttpServletRequest request, @Nullable EvaluatedTarget earlier) {
		this.method = request.getMethod();
		this.uri = request.getRequestURI();
		this.earlier = earlier;
	}

	/** Whether a request has this method and path. */
	boolean isAt(HttpServletRequest request) {
		return isAt(request.getMethod(), request.getRequestURI());
	}

	private boolean isAt(String method, String uri) {
		return this.method.equals(method) && this.uri.equals(uri);
	}

	/** Whether no target precedes it, and no stage was started for it. */
	boolean isNew() {
		return this.earlier == null && this.started == 0;
	}

	/** Starts a stage. Returns false if it was started before. */
	boolean start(Stage stage) {
		boolean before = isStarted(stage);
		this.started |= 1 << stage.ordinal();
		return !before;
	}

	/** Whether a stage was started for this target, now or earlier. */
	boolean isStarted(Stage stage) {
		for (EvaluatedTarget target = this; target != null; target = target.earlier) {
			if ((target.started & (1 << stage.ordinal())) != 0 && target.isAt(this.method, this.uri)) {
				return true;
			}
		}
		return false;
	}

}
