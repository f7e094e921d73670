package io.tierlimit.option.share;

import java.util.List;

import io.tierlimit.option.OptionReader;
import io.tierlimit.option.RuleContext;
import io.tierlimit.rule.OptionValue.Enforcement;
import io.tierlimit.rule.reader.Percentage;
import io.tierlimit.rule.reader.PropertyReader;
import org.jspecify.annotations.Nullable;

/**
 * Reads the share of its keys for which a rule is enforced.
 */
public final class ShareReader implements OptionReader {

	private static final String SHARE = "enforce-share";

	@Override
	public List<String> properties() {
		return List.of(SHARE);
	}

	@Override
	public @Nullable EnforcedShare read(PropertyReader properties, RuleContext rule) {
		Percentage percentage = properties.percentage(SHARE);
		if (percentage == null) {
			return null;
		}
		if (percentage.percent().signum() == 0) {
			properties.problems()
				.add("enforce-share must be above 0% (was " + properties.problems().written(SHARE, "0%") + ")",
						"To reject no requests, set mode to shadow and remove", SHARE);
			return null;
		}
		EnforcedShare share = properties.problems()
			.attempt(SHARE, () -> new EnforcedShare(percentage.share().doubleValue()));
		if (share != null && share.enforcement() == Enforcement.SOME) {
			rule.reportIfShared("callers share a bucket, so the rule cannot be enforced for a share of them", SHARE,
					properties.problems());
		}
		return EnforcedShare.ALL.equals(share) ? null : share;
	}

}
