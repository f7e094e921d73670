package io.tierlimit.sample.account;

import org.jspecify.annotations.Nullable;

/**
 * What somebody claims to be.
 *
 * @param user the name
 * @param password the password
 */
record Credentials(@Nullable String user, @Nullable String password) {

	@Override
	public String toString() {
		return "Credentials of " + this.user;
	}

}
