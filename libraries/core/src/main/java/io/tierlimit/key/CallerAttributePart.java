package io.tierlimit.key;

import io.tierlimit.rule.Scope;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.Endpoint;
import org.jspecify.annotations.Nullable;

/**
 * A part of a key that is an attribute of the caller.
 */
enum CallerAttributePart implements KeyPart {

	/** The client address. All callers without an address share a bucket. */
	IP(Role.ADDRESS),

	/** The authenticated user. */
	USER(Role.USER),

	/** The mapping, or a path pattern of the rule if the mapping has no pattern. */
	ENDPOINT(Role.ENDPOINT);

	/** The endpoint of requests without a mapping or a pattern. */
	private static final String UNMAPPED = "unmapped";

	private final Role role;

	CallerAttributePart(Role role) {
		this.role = role;
	}

	static @Nullable CallerAttributePart of(String scope) {
		return switch (scope) {
			case Scope.IP -> IP;
			case Scope.USER -> USER;
			case Scope.ENDPOINT -> ENDPOINT;
			default -> null;
		};
	}

	@Override
	public Result addTo(KeyBuilder key, Caller caller, @Nullable String endpoint) {
		Endpoint mapped = (this == ENDPOINT) ? caller.endpoint() : null;
		String value = switch (this) {
			case IP -> caller.ip();
			case USER -> caller.user();
			case ENDPOINT -> (mapped != null) ? mapped.toString() : endpoint;
		};
		if (this == USER && value == null) {
			return Result.MISSING;
		}
		addTo(key, value);
		return Result.ADDED;
	}

	@Override
	public void addTo(KeyBuilder key, @Nullable String value) {
		if (this == ENDPOINT) {
			key.addConstant((value != null) ? value : UNMAPPED);
		}
		else {
			KeyPart.super.addTo(key, value);
		}
	}

	@Override
	public boolean needsAuthentication() {
		return this == USER;
	}

	@Override
	public Role role() {
		return this.role;
	}

}
