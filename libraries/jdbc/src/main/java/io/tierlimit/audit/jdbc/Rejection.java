package io.tierlimit.audit.jdbc;

import java.time.Instant;

import io.tierlimit.RuleDecision;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.Endpoint;
import org.jspecify.annotations.Nullable;

/**
 * A rejection by one rule, with the caller's properties at the time of the rejection.
 *
 * @param at the time of the rejection
 * @param decision the decision of the rule
 * @param user the user; {@code null} for none, or if identities are not stored
 * @param address the client address; {@code null} for none, or if identities are not
 * stored
 * @param endpoint the mapping; {@code null} for none
 */
record Rejection(Instant at, RuleDecision decision, @Nullable String user, @Nullable String address,
		@Nullable Endpoint endpoint) {

	static Rejection of(Instant at, RuleDecision decision, Caller caller, AuditOptions options) {
		return new Rejection(at, decision, options.identities() ? caller.user() : null,
				options.identities() ? caller.ip() : null, caller.endpoint());
	}

}
