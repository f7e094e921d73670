package io.tierlimit.rule;

import java.util.ArrayList;
import java.util.List;

/**
 * Thrown at startup if rules or settings are not valid. Contains all problems, so that
 * they can be fixed together.
 */
public class InvalidRulesException extends IllegalArgumentException {

	private static final long serialVersionUID = 1L;

	private final ArrayList<String> problems;

	/**
	 * Creates the exception.
	 * @param problems a message for each problem: the rule or the setting, the value, and
	 * the remedy
	 */
	public InvalidRulesException(List<String> problems) {
		super(String.join("\n", problems));
		this.problems = new ArrayList<>(problems);
	}

	/**
	 * The problems.
	 * @return a message for each problem
	 */
	public List<String> problems() {
		return List.copyOf(this.problems);
	}

}
