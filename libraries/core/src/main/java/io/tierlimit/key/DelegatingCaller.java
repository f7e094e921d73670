package io.tierlimit.key;

import java.util.Collection;

import io.tierlimit.spi.Caller;
import io.tierlimit.spi.Endpoint;
import org.jspecify.annotations.Nullable;

/**
 * A caller with further facts.
 */
public abstract class DelegatingCaller implements Caller {

	private final Caller caller;

	/**
	 * Creates a caller.
	 * @param caller has all other facts
	 */
	protected DelegatingCaller(Caller caller) {
		this.caller = caller;
	}

	@Override
	public @Nullable String ip() {
		return this.caller.ip();
	}

	@Override
	public @Nullable String user() {
		return this.caller.user();
	}

	@Override
	public Collection<String> authorities() {
		return this.caller.authorities();
	}

	@Override
	public @Nullable String plan() {
		return this.caller.plan();
	}

	@Override
	public @Nullable String method() {
		return this.caller.method();
	}

	@Override
	public @Nullable String path() {
		return this.caller.path();
	}

	@Override
	public @Nullable Endpoint endpoint() {
		return this.caller.endpoint();
	}

	@Override
	public @Nullable String header(String name) {
		return this.caller.header(name);
	}

	@Override
	public @Nullable String param(String name) {
		return this.caller.param(name);
	}

	@Override
	public @Nullable Object claim(String name) {
		return this.caller.claim(name);
	}

	@Override
	public @Nullable Object requestAttribute(String name) {
		return this.caller.requestAttribute(name);
	}

	@Override
	public @Nullable Object sessionAttribute(String name) {
		return this.caller.sessionAttribute(name);
	}

	@Override
	public @Nullable Object argument(String name) {
		return this.caller.argument(name);
	}

}
