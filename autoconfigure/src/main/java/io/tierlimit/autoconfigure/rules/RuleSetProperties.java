package io.tierlimit.autoconfigure.rules;

import java.util.Map;

import io.tierlimit.RuleMode;
import io.tierlimit.limit.Rate;
import org.jspecify.annotations.Nullable;

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

	/**
	 * The documentation of the properties of {@link LoginProtection}, for IDEs.
	 *
	 * @param path Path to which the login is sent, such as /login. Required. With it,
	 * three rules limit failed logins: per account, per client address, and with
	 * multipart bodies.
	 * @param perAccount Failed logins of an account, such as 5/h, and of all logins with
	 * multipart bodies together. Required.
	 * @param perAddress Failed logins from a client address, such as 20/h. Required.
	 * @param account Expression over the request of a login that returns the account. A
	 * login without the value is limited by its address only.
	 */
	record LoginProtectionProperties(@Nullable String path, @Nullable Rate perAccount, @Nullable Rate perAddress,
			@DefaultValue(LoginProtection.ACCOUNT) String account) {

	}

}
