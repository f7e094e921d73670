package io.tierlimit.key;

import java.util.Collection;
import java.util.List;
import java.util.Map;

import io.tierlimit.spi.Caller;
import io.tierlimit.spi.Endpoint;
import org.jspecify.annotations.Nullable;

/**
 * A caller with given facts.
 */
public record SimpleCaller(@Nullable String ip, @Nullable String user, @Nullable String plan,
		Collection<String> authorities, @Nullable String method, @Nullable String path, @Nullable Endpoint endpoint,
		Map<String, String> headers, Map<String, String> params) implements Caller {

	public static final SimpleCaller ANONYMOUS = new SimpleCaller(null, null, null, List.of(), null, null, null,
			Map.of(), Map.of());

	public static SimpleCaller at(String ip) {
		return new SimpleCaller(ip, null, null, List.of(), "GET", "/", null, Map.of(), Map.of());
	}

	public SimpleCaller as(@Nullable String user) {
		return new SimpleCaller(this.ip, user, this.plan, this.authorities, this.method, this.path, this.endpoint,
				this.headers, this.params);
	}

	public SimpleCaller on(@Nullable String plan) {
		return new SimpleCaller(this.ip, this.user, plan, this.authorities, this.method, this.path, this.endpoint,
				this.headers, this.params);
	}

	public SimpleCaller with(String... authorities) {
		return new SimpleCaller(this.ip, this.user, this.plan, List.of(authorities), this.method, this.path,
				this.endpoint, this.headers, this.params);
	}

	public SimpleCaller to(String methods, String pattern) {
		return new SimpleCaller(this.ip, this.user, this.plan, this.authorities, this.method, this.path,
				new Endpoint(methods, pattern), this.headers, this.params);
	}

	public SimpleCaller sending(Map<String, String> headers, Map<String, String> params) {
		return new SimpleCaller(this.ip, this.user, this.plan, this.authorities, this.method, this.path, this.endpoint,
				headers, params);
	}

	@Override
	public @Nullable String header(String name) {
		return this.headers.get(name);
	}

	@Override
	public @Nullable String param(String name) {
		return this.params.get(name);
	}

}
