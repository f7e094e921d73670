package io.tierlimit.rule;

import java.util.ArrayList;
import java.util.List;

/**
 * Reports all problems with the rules, so that they can be fixed together.
 */
public class InvalidRulesException extends IllegalArgumentException {

	private static final long serialVersionUID = 1L;

	private final ArrayList<String> problems;

	/**
	 * Creates the exception.
	 * @param problems a sentence for each mistake: which rule, what value, what remedy
	 */
	public InvalidRulesException(List<String> problems) {
		super(String.join("\n", problems));
		this.problems = new ArrayList<>(problems);
	}

	/**
	 * The mistakes.
	 * @return a sentence for each
	 */
	public List<String> problems() {
		return List.copyOf(this.problems);
	}

}
