package io.tierlimit.actuate;

import java.util.List;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The bans of a rule that are in force.
 *
 * @param store the store of the buckets
 * @param bans the bans, at most 1,000; the longest come first
 */
public record BanListDescriptor(StoreDescriptor store, List<BanDescriptor> bans) implements OperationResponseBody {

}
