package io.tierlimit.junit;

/**
 * The number of times that a test is repeated: few in a build, and many before a release,
 * with {@code -Dtests.long=true}.
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
