package io.tierlimit.store.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Future;

import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * Runs the script by Lettuce, without a thread that waits for a reply. All requests share
 * one connection, with the servers and the credentials of the application's connection
 * factory.
 */
final class LettuceScriptClient implements ScriptClient {

	private static final int PAGE = 500;

	private final LettuceConnectionFactory factory;

	private final SharedConnection<Link> connection;

	/**
	 * Creates a client.
	 * @param factory the factory, which this client starts and stops
	 */
	LettuceScriptClient(LettuceConnectionFactory factory) {
		this.factory = factory;
		this.connection = new SharedConnection<>(this::connect, Link::close);
	}

	private Link connect() {
		if (!this.factory.isRunning()) {
			this.factory.afterPropertiesSet();
			this.factory.start();
		}
		if (this.factory.getRequiredNativeClient() instanceof RedisClusterClient cluster) {
			cluster.refreshPartitions();
			StatefulRedisClusterConnection<byte[], byte[]> made = cluster.connect(ByteArrayCodec.INSTANCE);
			return new Link(made, made.async(), true, new ConcurrentHashMap<>());
		}
		StatefulRedisConnection<byte[], byte[]> made = ((RedisClient) this.factory.getRequiredNativeClient())
			.connect(ByteArrayCodec.INSTANCE);
		return new Link(made, made.async(), false, new ConcurrentHashMap<>());
	}

	@Override
	public Future<List<Object>> send(RedisScript<?> script, ScriptCall call, boolean byText) {
		Link link = this.connection.present();
		// If a request has timed out before there is a connection, its call is not sent.
		return (link != null) ? link.send(script, call, byText)
				: this.connection.get().thenCompose((made) -> made.send(script, call, byText));
	}

	@Override
	public void scan(String start, Deadline deadline, Pages pages) throws StoreFailure {
		ScanArgs args = ScanArgs.Builder.matches(start + "*").limit(PAGE);
		RedisClusterAsyncCommands<byte[], byte[]> commands = deadline.get(this.connection.get()).commands;
		try {
			KeyScanCursor<byte[]> page = deadline.get(commands.scan(args));
			while (pages.accept(page.getKeys()) && !page.isFinished()) {
				page = deadline.get(commands.scan(page, args));
			}
		}
		catch (RuntimeException ex) {
			throw StoreFailure.of(ex);
		}
	}

	@Override
	public void reconnect() {
		if (isCluster()) {
			// The other nodes may be reachable.
			this.connection.replaceGracefully();
		}
		else {
			this.connection.reconnect();
		}
	}

	@Override
	public boolean isCluster() {
		return this.factory.isClusterAware();
	}

	@Override
	public String server(ScriptCall call) {
		Partitions nodes = nodes();
		if (nodes == null) {
			return "";
		}
		RedisClusterNode node = nodes.getMasterBySlot(ClusterSlotHashUtil.calculateSlot(call.keys().get(0)));
		return (node != null) ? node.getNodeId() : "";
	}

	@Override
	public boolean serves(String server) {
		Partitions nodes = nodes();
		if (nodes == null) {
			return true;
		}
		RedisClusterNode node = nodes.getPartitionByNodeId(server);
		return node != null && !node.hasNoSlots();
	}

	/** The nodes and their slots, if this is a Redis Cluster with a connection. */
	private @Nullable Partitions nodes() {
		Link link = isCluster() ? this.connection.present() : null;
		return (link != null) ? ((StatefulRedisClusterConnection<?, ?>) link.connection).getPartitions() : null;
	}

	@Override
	public void close() {
		Link link = isCluster() ? this.connection.present() : null;
		this.connection.close();
		if (link != null) {
			// Otherwise the client would close the connections to all nodes twice, and
			// log a warning.
			link.connection.close();
		}
		this.factory.destroy();
	}

	/**
	 * A connection and its commands.
	 *
	 * @param queues the waiting calls by slot; one queue if there are no slots
	 */
	private record Link(StatefulConnection<byte[], byte[]> connection,
			RedisClusterAsyncCommands<byte[], byte[]> commands, boolean cluster,
			ConcurrentMap<Integer, CallQueue> queues) {

		private void close() {
			CompletableFuture<Void> unused = this.connection.closeAsync();
		}

		private CompletableFuture<List<Object>> send(RedisScript<?> script, ScriptCall call, boolean byText) {
			if (byText || !ScriptCallFactory.isCombinable(call)) {
				return sendNow(script, call, byText);
			}
			int slot = this.cluster ? ClusterSlotHashUtil.calculateSlot(call.keys().get(0)) : 0;
			CallQueue queue = this.queues.get(slot);
			if (queue == null) {
				queue = this.queues.computeIfAbsent(slot,
						(key) -> new CallQueue((next) -> sendNow(script, next, false)));
			}
			return queue.send(call);
		}

		private CompletableFuture<List<Object>> sendNow(RedisScript<?> script, ScriptCall call, boolean byText) {
			byte[][] keys = call.keys().toArray(byte[][]::new);
			byte[][] arguments = call.arguments().toArray(byte[][]::new);
			try {
				RedisFuture<List<Object>> reply = byText
						? this.commands.eval(script.getScriptAsString(), ScriptOutputType.MULTI, keys, arguments)
						: this.commands.evalsha(script.getSha1(), ScriptOutputType.MULTI, keys, arguments);
				return reply.toCompletableFuture();
			}
			catch (RuntimeException ex) {
				// The connection is being closed.
				return CompletableFuture.failedFuture(ex);
			}
		}

	}

}
