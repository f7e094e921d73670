package io.tierlimit.actuate;

import java.time.Instant;
import java.util.List;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The rules in force.
 *
 * @param store the store of the buckets
 * @param since the time since which this instance counts decisions
 * @param mode the mode of all rules
 * @param reload the last time that the rules were read
 * @param rules the rules, in the order in which headers list them
 */
public record RuleListDescriptor(StoreDescriptor store, Instant since, ModeDescriptor mode, ReloadDescriptor reload,
		List<RuleDescriptor> rules) implements OperationResponseBody {

}
