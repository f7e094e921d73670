package io.tierlimit.autoconfigure.properties;

/**
 * The names of beans that Tierlimit defines or looks up by name. The store and the plan
 * resolver back off if the application defines a bean of the same type, which may have
 * any name except these names.
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
