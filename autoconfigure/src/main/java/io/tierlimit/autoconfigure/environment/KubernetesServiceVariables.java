package io.tierlimit.autoconfigure.environment;

import java.util.regex.Pattern;

/**
 * Environment variables that Kubernetes sets in every container for the services of its
 * namespace. A service {@code tierlimit} or {@code tierlimit-redis} has variables that
 * look like properties of Tierlimit.
 */
public final class KubernetesServiceVariables {

	private static final Pattern VARIABLE = Pattern
		.compile(".+_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT(_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)");

	private KubernetesServiceVariables() {
	}

	/** Whether Kubernetes sets a variable of this name for a service. */
	static boolean contain(String variable) {
		return VARIABLE.matcher(variable).matches();
	}

}
