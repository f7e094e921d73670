package io.tierlimit.autoconfigure.rules;

import java.util.Map;

import io.tierlimit.RuleMode;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The rules below {@code tierlimit.rules}, the overrides below
 * {@code tierlimit.overrides}, and the preset {@code tierlimit.login-protection}.
 *
 * @param mode Mode of all rules. Shadow: no rule rejects requests, whatever its own mode
 * is. Enforce: each rule has its own mode.
 * @param rules Rules by their ids.
 * @param overrides Overrides of callers by their ids.
 * @param loginProtection Rules that limit failed logins.
 */
@ConfigurationProperties("tierlimit")
record RuleSetProperties(@DefaultValue("enforce") RuleMode mode, @DefaultValue Map<String, RuleProperties> rules,
		@DefaultValue Map<String, OverrideProperties> overrides,
		@DefaultValue LoginProtectionProperties loginProtection) {

}
