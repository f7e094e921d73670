package io.tierlimit.actuate;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The result of an edit.
 *
 * @param problems why nothing has changed, as full sentences; empty otherwise
 * @param before the override before the edit; {@code null} for none
 * @param after the override after the edit; {@code null} for none
 */
record OverrideEditDescriptor(List<String> problems, @Nullable OverrideDescriptor before,
		@Nullable OverrideDescriptor after) implements OperationResponseBody {

}
