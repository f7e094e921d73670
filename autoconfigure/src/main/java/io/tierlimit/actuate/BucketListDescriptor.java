package io.tierlimit.actuate;

import java.util.List;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The state of buckets. Reading it consumes nothing.
 *
 * @param store the store of the buckets
 * @param buckets the buckets; empty buckets come first
 */
public record BucketListDescriptor(StoreDescriptor store,
		List<BucketDescriptor> buckets) implements OperationResponseBody {

}
