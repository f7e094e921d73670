package io.tierlimit.rule.reader;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.tierlimit.rule.InvalidRulesException;

/**
 * Collects all problems of the configuration, so that they are reported together.
 */
public final class Problems {

	private static final String PLACE = "{}";

	private final List<String> sentences = new ArrayList<>();

	private final Set<String> warnings = new LinkedHashSet<>();

	/**
	 * Adds a problem.
	 * @param problem the problem, without a full stop
	 * @param fix the fix, without a full stop; {@code {}} is replaced by the location;
	 * without {@code {}}, the location is appended
	 * @param place the property and its location
	 */
	public void add(String problem, String fix, String place) {
		add(sentences(problem, fix, place));
	}

	/**
	 * Adds a problem and its fix.
	 * @param sentences full sentences
	 */
	public void add(String sentences) {
		this.sentences.add(sentences);
	}

	/**
	 * Adds a warning: the value is valid, but may be a mistake. The warning is logged
	 * when the application has started.
	 * @param problem the possible problem, without a full stop
	 * @param fix the fix, as for {@link #add}
	 * @param place the property and its location
	 */
	public void warn(String problem, String fix, String place) {
		this.warnings.add(sentences(problem, fix, place));
	}

	private static String sentences(String problem, String fix, String place) {
		int index = fix.indexOf(PLACE);
		return problem + ". " + ((index < 0) ? fix + " " + place
				: fix.substring(0, index) + place + fix.substring(index + PLACE.length())) + ".";
	}

	/**
	 * The number of problems.
	 * @return the number of problems, without warnings
	 */
	public int count() {
		return this.sentences.size();
	}

	/**
	 * The problems.
	 * @return full sentences
	 */
	public List<String> sentences() {
		return List.copyOf(this.sentences);
	}

	/**
	 * The warnings.
	 * @return full sentences
	 */
	public List<String> warnings() {
		return List.copyOf(this.warnings);
	}

	/**
	 * Lets startup fail if there are problems.
	 * @throws InvalidRulesException if there are problems
	 */
	public void report() {
		if (!this.sentences.isEmpty()) {
			throw new InvalidRulesException(this.sentences);
		}
	}

}
