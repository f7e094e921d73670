package io.tierlimit.key;

import io.tierlimit.rule.Scope;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.Endpoint;
import org.jspecify.annotations.Nullable;

/**
 * What every caller has or may have.
 */
enum CallerAttributePart implements KeyPart {

	/** The address. Who has none shares a bucket with all others who have none. */
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

	/** The mapping, or what stands for it. */
	ENDPOINT(Scope.ENDPOINT, Role.ENDPOINT) {

		@Override
		public Result addTo(KeyBuilder key, Caller caller, @Nullable String endpoint) {
			Endpoint mapped = caller.endpoint();
			addTo(key, (mapped != null) ? mapped.toString() : endpoint);
			return Result.ADDED;
		}

		@Override
		public void addTo(KeyBuilder key, @Nullable String given) {
			key.addOwn((given != null) ? given : UNMAPPED);
		}

	};

	/** The endpoint of requests that nothing names. */
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

	@Override
	public void addTo(KeyBuilder key, @Nullable String given) {
		if (given == null) {
			key.addNone();
		}
		else if (isSent()) {
			key.addSent(given);
		}
		else {
			key.addFact(given);
		}
	}

	@Override
	public boolean needsAuthentication() {
		return false;
	}

}
