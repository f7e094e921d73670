package io.tierlimit.option.share;

import java.util.List;

import io.tierlimit.option.OptionReader;
import io.tierlimit.option.RuleContext;
import io.tierlimit.rule.OptionValue.Enforcement;
import io.tierlimit.rule.reader.Percentage;
import io.tierlimit.rule.reader.PropertyReader;
import org.jspecify.annotations.Nullable;

/**
 * Reads for which share of its keys a rule is enforced.
 */
public final class ShareReader implements OptionReader {

	private static final String PERCENT = "enforce-percent";

	@Override
	public List<String> properties() {
		return List.of(PERCENT);
	}

	@Override
	public @Nullable EnforcedShare read(PropertyReader properties, RuleContext rule) {
		Percentage percentage = properties.percentage(PERCENT);
		if (percentage == null) {
			return null;
		}
		EnforcedShare share = properties.problems()
			.attempt(PERCENT, () -> new EnforcedShare(percentage.percent().doubleValue()));
		if (share != null && share.enforcement() == Enforcement.SOME) {
			rule.reportIfShared("callers share a bucket, so the rule cannot be enforced for a share of them",
					"Set scope to user or ip, or set {} to 0% or 100%", PERCENT, properties.problems());
		}
		return EnforcedShare.ALL.equals(share) ? null : share;
	}

}
