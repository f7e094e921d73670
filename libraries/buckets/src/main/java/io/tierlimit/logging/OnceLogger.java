package io.tierlimit.logging;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Logs a warning once for each subject, however often its cause occurs. It stores 1000
 * subjects, or a few more if threads race. Warnings of further subjects are not logged,
 * so that a subject that depends on requests fills neither the memory nor the log.
 */
public final class OnceLogger {

	private static final int MAX_SUBJECTS = 1000;

	private final Log logger;

	private final Set<Object> subjects = ConcurrentHashMap.newKeySet();

	/**
	 * Creates a logger.
	 * @param category the class that the warnings come from
	 */
	public OnceLogger(Class<?> category) {
		this.logger = LogFactory.getLog(category);
	}

	/**
	 * Logs a warning unless this object has logged the same message before.
	 * @param message the message, which is also the subject
	 */
	public void warn(String message) {
		warn(message, message, null);
	}

	/**
	 * Logs a warning unless this object has logged one of the same subject before.
	 * @param subject what the warning is about, such as a class or the id of a rule;
	 * compared by {@code equals}
	 * @param message the message
	 * @param failure the cause, or {@code null} if there is none
	 */
	public void warn(Object subject, String message, @Nullable Throwable failure) {
		if (!this.subjects.contains(subject) && this.subjects.size() < MAX_SUBJECTS && this.subjects.add(subject)) {
			this.logger.warn(message, failure);
			if (this.subjects.size() == MAX_SUBJECTS) {
				this.logger.warn("Further warnings of this class are not logged: there were " + MAX_SUBJECTS
						+ " different ones. Restart the application to log them again.");
			}
		}
	}

}
