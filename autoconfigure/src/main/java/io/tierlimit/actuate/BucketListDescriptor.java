package io.tierlimit.actuate;

import java.util.List;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * How buckets stand. Looking consumes nothing.
 *
 * @param store where they live
 * @param buckets the buckets; those that are empty, or have rejected last, come first
 */
public record BucketListDescriptor(StoreDescriptor store,
		List<BucketDescriptor> buckets) implements OperationResponseBody {

}
