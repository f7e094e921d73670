package io.tierlimit.actuate;

import java.time.Instant;
import java.util.List;

import io.tierlimit.evaluation.ReloadResult;
import io.tierlimit.rule.KebabCase;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The result of the last reload of the rules.
 *
 * @param at when they were read
 * @param outcome {@code replaced}, {@code unchanged}, {@code invalid} or
 * {@code unavailable}; if invalid or unavailable, the previous rules remain active
 * @param problems why rules are not valid, or a source cannot be read
 */
public record ReloadDescriptor(Instant at, String outcome, List<String> problems) implements OperationResponseBody {

	static ReloadDescriptor of(ReloadResult result) {
		return new ReloadDescriptor(result.at(), KebabCase.of(result.outcome()), result.problems());
	}

}
