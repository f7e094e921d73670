package io.tierlimit.store.redis;

/**
 * Forwards everything except for sending to another client.
 */
abstract class ForwardingClient implements ScriptClient {

	final ScriptClient client;

	ForwardingClient(ScriptClient client) {
		this.client = client;
	}

	@Override
	public void scan(String start, Deadline deadline, Pages pages) throws StoreFailure {
		this.client.scan(start, deadline, pages);
	}

	@Override
	public void reconnect() {
		this.client.reconnect();
	}

	@Override
	public String server(ScriptCall call) {
		return this.client.server(call);
	}

	@Override
	public boolean serves(String server) {
		return this.client.serves(server);
	}

	@Override
	public boolean isCluster() {
		return this.client.isCluster();
	}

	@Override
	public void close() {
		this.client.close();
	}

}
