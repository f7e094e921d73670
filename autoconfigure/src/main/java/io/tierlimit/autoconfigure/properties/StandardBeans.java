package io.tierlimit.autoconfigure.properties;

/**
 * The names of beans that have a meaning. Two of them back off if the application defines
 * one of their type. An application may give its own bean any name except these.
 */
public final class StandardBeans {

	/** The BucketStore bean. */
	public static final String STORE = "io.tierlimit.bucketStore";

	/** The PlanResolver bean. */
	public static final String PLAN_RESOLVER = "io.tierlimit.planResolver";

	/**
	 * A bean of a tool that reads a configuration. If it exists, rules may depend on
	 * results of authentications even without Spring Security.
	 */
	public static final String AUTHENTICATION = "io.tierlimit.authentication";

	private StandardBeans() {
	}

}
