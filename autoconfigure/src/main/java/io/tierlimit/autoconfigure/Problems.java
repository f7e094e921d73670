package io.tierlimit.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import io.tierlimit.rule.InvalidRulesException;

/**
 * Collects all that is wrong with the rules, so that it is reported together.
 */
final class Problems {

	private final List<String> sentences = new ArrayList<>();

	/**
	 * Notes a problem.
	 * @param problem what is wrong, without a full stop
	 * @param cure what to do with the place, such as {@code Correct}
	 * @param place where it stands
	 */
	void add(String problem, String cure, String place) {
		add(problem + ". " + cure + " " + place + ".");
	}

	/** Notes a problem and its cure in full sentences. */
	void add(String sentence) {
		this.sentences.add(sentence);
	}

	int count() {
		return this.sentences.size();
	}

	/** Stops the start if anything is wrong. */
	void report() {
		if (!this.sentences.isEmpty()) {
			throw new InvalidRulesException(this.sentences);
		}
	}

}
