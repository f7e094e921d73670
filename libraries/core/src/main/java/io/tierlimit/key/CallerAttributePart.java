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
	IP(Scope.IP, Role.ADDRESS) {

		@Override
		public Result addTo(KeyBuilder key, Caller caller, @Nullable String endpoint) {
			addTo(key, caller.ip());
			return Result.ADDED;
		}

	},

	/** The authenticated user. */
	USER(Scope.USER, Role.USER) {

		@Override
		public Result addTo(KeyBuilder key, Caller caller, @Nullable String endpoint) {
			String user = caller.user();
			if (user == null) {
				return Result.MISSING;
			}
			addTo(key, user);
			return Result.ADDED;
		}

		@Override
		public boolean needsAuthentication() {
			return true;
		}

	},

	/** The mapping, or a path pattern of the rule if the mapping has no pattern. */
	ENDPOINT(Scope.ENDPOINT, Role.ENDPOINT) {

		@Override
		public Result addTo(KeyBuilder key, Caller caller, @Nullable String endpoint) {
			Endpoint mapped = caller.endpoint();
			addTo(key, (mapped != null) ? mapped.toString() : endpoint);
			return Result.ADDED;
		}

		@Override
		public void addTo(KeyBuilder key, @Nullable String value) {
			key.addConstant((value != null) ? value : UNMAPPED);
		}

	};

	/** The endpoint of requests without a mapping or a pattern. */
	private static final String UNMAPPED = "unmapped";

	private final String scope;

	private final Role role;

	CallerAttributePart(String scope, Role role) {
		this.scope = scope;
		this.role = role;
	}

	static @Nullable CallerAttributePart of(String scope) {
		for (CallerAttributePart part : values()) {
			if (part.scope.equals(scope)) {
				return part;
			}
		}
		return null;
	}

	@Override
	public Role role() {
		return this.role;
	}

}
