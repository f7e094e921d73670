package io.tierlimit.autoconfigure.environment;

import java.util.Collection;

import io.tierlimit.rule.reader.PropertyText;
import org.jspecify.annotations.Nullable;

/**
 * Finds ids of which only dashes, underscores and case differ.
 */
public final class Spelling {

	/**
	 * The end of a message that reports two names for the same property, rule or
	 * override.
	 */
	public static final String DIFFERENCE = "the names differ only in dashes, underscores and case";

	private Spelling() {
	}

	/**
	 * Finds the spelling of an id that is known.
	 * @param id the id
	 * @param known the ids that are known
	 * @return the spelling, or {@code null} if no such id is known
	 */
	public static @Nullable String known(String id, Collection<String> known) {
		String plain = PropertyText.plain(id);
		return known.stream().filter((other) -> PropertyText.plain(other).equals(plain)).findFirst().orElse(null);
	}

}
