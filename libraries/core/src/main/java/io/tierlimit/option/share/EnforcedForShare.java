package io.tierlimit.option.share;

import java.util.Map;

import io.tierlimit.option.RuleOption;
import io.tierlimit.store.BucketKey;

/**
 * A rule that is enforced for a share of its keys.
 *
 * @param rule the id of the rule
 * @param share the keys for which the rule rejects requests
 */
public record EnforcedForShare(String rule, EnforcedShare share) implements RuleOption {

	@Override
	public boolean enforces(BucketKey bucket) {
		return this.share.includes(this.rule, bucket.key());
	}

	@Override
	public void describe(Map<String, Object> description) {
		description.put("enforceShare", this.share.share());
	}

}
