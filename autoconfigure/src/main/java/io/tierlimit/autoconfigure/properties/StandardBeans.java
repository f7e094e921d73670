package io.tierlimit.autoconfigure.properties;

/**
 * The names of beans that back off if the application defines one of their type. An
 * application may give its own bean any name but these.
 */
public final class StandardBeans {

	/** The BucketStore bean. */
	public static final String STORE = "io.tierlimit.bucketStore";

	/** The PlanResolver bean. */
	public static final String PLAN_RESOLVER = "io.tierlimit.planResolver";

	private StandardBeans() {
	}

}
