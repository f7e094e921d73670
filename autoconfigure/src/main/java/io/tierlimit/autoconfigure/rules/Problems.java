package io.tierlimit.autoconfigure.rules;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.tierlimit.rule.InvalidRulesException;

/**
 * Collects all that is wrong with the rules, so that it is reported together.
 */
final class Problems {

	private final List<String> sentences = new ArrayList<>();

	private final Set<String> warnings = new LinkedHashSet<>();

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

	/**
	 * Notes what is legal, but may be wrong: it is logged when the application has
	 * started.
	 * @param sentence a sentence without its full stop
	 */
	void warn(String sentence) {
		this.warnings.add(sentence + ".");
	}

	int count() {
		return this.sentences.size();
	}

	/** What is legal, but may be wrong: full sentences. */
	List<String> warnings() {
		return List.copyOf(this.warnings);
	}

	/** Stops startup if anything is wrong. */
	void report() {
		if (!this.sentences.isEmpty()) {
			throw new InvalidRulesException(this.sentences);
		}
	}

}
