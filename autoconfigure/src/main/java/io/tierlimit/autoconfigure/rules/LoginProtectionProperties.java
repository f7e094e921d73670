package io.tierlimit.autoconfigure.rules;

import io.tierlimit.limit.Rate;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The documentation of the properties of {@link LoginProtection}, for IDEs.
 *
 * @param path Path to which the login is sent, such as /login. Required. With it, the
 * rules login-failures-per-account and login-failures-per-address limit failed logins.
 * @param perAccount Failed logins of an account, such as 5/h. Required.
 * @param perAddress Failed logins from a client address, such as 20/h. Required.
 * @param account Expression over the request of a login that returns the account. A login
 * without the value is limited by its address only.
 */
record LoginProtectionProperties(@Nullable String path, @Nullable Rate perAccount, @Nullable Rate perAddress,
		@DefaultValue(LoginProtection.ACCOUNT) String account) {

}
