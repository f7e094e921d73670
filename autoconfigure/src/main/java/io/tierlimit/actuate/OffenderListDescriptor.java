package io.tierlimit.actuate;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import io.tierlimit.RuleDecision;
import io.tierlimit.offender.OffenderList;
import io.tierlimit.rule.KebabCase;
import io.tierlimit.rule.Rule;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The keys that this instance has rejected most often under a rule.
 *
 * @param store the store of the buckets
 * @param mode the mode of the rule; in mode {@code shadow}, rejections are those that it
 * would have made
 * @param since when counting began, rounded to seconds
 * @param rejections the number of rejections of all keys since then
 * @param offenders the keys, those with the most rejections first
 */
public record OffenderListDescriptor(StoreDescriptor store, String mode, Instant since, long rejections,
		List<OffenderDescriptor> offenders) implements OperationResponseBody {

	static OffenderListDescriptor of(StoreDescriptor store, Rule rule, OffenderList list,
			Map<String, RuleDecision> buckets, Instant now) {
		return new OffenderListDescriptor(store, KebabCase.of(rule.options().mode()), list.since(), list.rejections(),
				list.offenders()
					.stream()
					.map((offender) -> OffenderDescriptor.of(offender, buckets.get(offender.key()), now))
					.toList());
	}

}
