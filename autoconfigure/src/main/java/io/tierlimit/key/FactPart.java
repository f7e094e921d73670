package io.tierlimit.key;

import io.tierlimit.rule.Scope;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.Endpoint;
import org.jspecify.annotations.Nullable;

/**
 * What every caller has or may have.
 */
enum FactPart implements KeyPart {

	/** The address. Who has none shares a bucket with all others who have none. */
	IP {

		@Override
		public Result addTo(KeyBuilder key, Caller caller, @Nullable String endpoint) {
			addTo(key, caller.ip());
			return Result.ADDED;
		}

	},

	/** The authenticated user. */
	USER {

		@Override
		public Result addTo(KeyBuilder key, Caller caller, @Nullable String endpoint) {
			String user = caller.user();
			if (user != null) {
				key.addFact(user);
			}
			return (user != null) ? Result.ADDED : Result.MISSING;
		}

		@Override
		public boolean needsAuthentication() {
			return true;
		}

	},

	/** The mapping, or what stands for it. */
	ENDPOINT {

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

	static @Nullable FactPart of(String scope) {
		return switch (scope) {
			case Scope.IP -> IP;
			case Scope.USER -> USER;
			case Scope.ENDPOINT -> ENDPOINT;
			default -> null;
		};
	}

	@Override
	public void addTo(KeyBuilder key, @Nullable String given) {
		if (given != null) {
			key.addFact(given);
		}
		else {
			key.addNone();
		}
	}

	@Override
	public boolean needsAuthentication() {
		return false;
	}

}
