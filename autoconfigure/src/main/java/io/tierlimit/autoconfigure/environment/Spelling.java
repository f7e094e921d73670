package io.tierlimit.autoconfigure.environment;

import java.util.Collection;

import io.tierlimit.rule.reader.PropertyText;
import org.jspecify.annotations.Nullable;

/**
 * Finds the known word that a mistyped word is similar to.
 */
public final class Spelling {

	private Spelling() {
	}

	/**
	 * Returns the known word with the fewest differences: at most one, or two in words of
	 * more than five letters.
	 * @param word the mistyped word
	 * @param known the words that are known
	 * @return the word, or {@code null} if there is none
	 */
	public static @Nullable String nearest(String word, Collection<String> known) {
		int allowed = (word.length() > 5) ? 2 : 1;
		String nearest = null;
		for (String candidate : known) {
			int slips = slips(word, candidate);
			if (slips <= allowed) {
				nearest = candidate;
				allowed = slips - 1;
			}
		}
		return nearest;
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

	/**
	 * Counts the letters that are missing, added, replaced, or swapped with their
	 * neighbor.
	 */
	static int slips(String word, String other) {
		int[][] slips = new int[word.length() + 1][other.length() + 1];
		for (int i = 0; i <= word.length(); i++) {
			for (int j = 0; j <= other.length(); j++) {
				slips[i][j] = (i == 0 || j == 0) ? i + j : slips(word, other, slips, i, j);
			}
		}
		return slips[word.length()][other.length()];
	}

	private static int slips(String word, String other, int[][] slips, int i, int j) {
		int replaced = (word.charAt(i - 1) == other.charAt(j - 1)) ? 0 : 1;
		int fewest = Math.min(slips[i - 1][j - 1] + replaced, Math.min(slips[i - 1][j], slips[i][j - 1]) + 1);
		boolean swapped = i > 1 && j > 1 && word.charAt(i - 1) == other.charAt(j - 2)
				&& word.charAt(i - 2) == other.charAt(j - 1);
		return swapped ? Math.min(fewest, slips[i - 2][j - 2] + 1) : fewest;
	}

}
