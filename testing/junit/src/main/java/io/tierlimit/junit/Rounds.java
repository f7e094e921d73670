package io.tierlimit.junit;

/**
 * How often a test repeats what it has shown: seldom in a build, and often before a
 * release, with {@code -Dtests.long=true}.
 */
public final class Rounds {

	private Rounds() {
	}

	/**
	 * The number of rounds of a test.
	 * @param build the number in a build
	 * @param release the number before a release
	 */
	public static int of(int build, int release) {
		return Boolean.getBoolean("tests.long") ? release : build;
	}

}
