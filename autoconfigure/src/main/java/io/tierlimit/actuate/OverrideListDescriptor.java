package io.tierlimit.actuate;

import java.util.List;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Overrides of callers.
 *
 * @param total the number of overrides
 * @param overrides the overrides, those with the highest precedence first; 1,000 at most
 */
public record OverrideListDescriptor(int total, List<OverrideDescriptor> overrides) implements OperationResponseBody {

}
