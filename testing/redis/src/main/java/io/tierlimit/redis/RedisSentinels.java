package io.tierlimit.redis;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.tierlimit.junit.Poll;

/**
 * A master, its replica, and the sentinel that promotes the replica. One sentinel is
 * enough: it needs no votes of others, and therefore decides faster than several
 * sentinels.
 */
public final class RedisSentinels implements AutoCloseable {

	private static final String NAME = "tierlimit";

	/**
	 * Pings are sent every 1000 ms. A time below 1000 ms plus a margin would cause false
	 * alarms.
	 */
	private static final int DOWN_AFTER_MILLIS = 1500;

	/**
	 * Options with which replicas receive their first copy at once, and without a file.
	 */
	private static final String[] REPLICATION = { "--repl-diskless-sync", "yes", "--repl-diskless-sync-delay", "0" };

	/** The processes that were started: two servers, then the sentinel. */
	private final List<RedisServer> started = new ArrayList<>();

	private RedisSentinels() {
		try {
			RedisServer first = add(List.of(), REPLICATION);
			RedisServer second = add(List.of("replicaof 127.0.0.1 " + first.port()), REPLICATION);
			Poll.until(() -> follows(second, first), () -> second.command("INFO", "replication"));
			add(List.of("sentinel monitor " + NAME + " 127.0.0.1 " + first.port() + " 1",
					"sentinel down-after-milliseconds " + NAME + " " + DOWN_AFTER_MILLIS,
					"sentinel failover-timeout " + NAME + " 5000"), "--sentinel");
			awaitReplica();
		}
		catch (RuntimeException ex) {
			close();
			throw ex;
		}
	}

	/** Starts the servers, and returns when a failover would succeed. */
	public static RedisSentinels start() {
		return new RedisSentinels();
	}

	private RedisServer add(List<String> configuration, String... options) {
		RedisServer server = RedisServer.start(configuration, options);
		this.started.add(server);
		return server;
	}

	public List<Integer> sentinelPorts() {
		return List.of(sentinel().port());
	}

	/** The sentinel's name for the master. */
	public String masterName() {
		return NAME;
	}

	/** The current master according to the sentinel. It may just have died. */
	public RedisServer master() {
		String address = sentinel().command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME);
		return address.endsWith("\n" + server(0).port()) ? server(0) : server(1);
	}

	/** The server that is not the master. */
	public RedisServer replica() {
		return (master() == server(0)) ? server(1) : server(0);
	}

	/**
	 * Makes the sentinel swap master and replica, and returns when the new master reports
	 * that it is a master. The old master accepts writes until the sentinel reconfigures
	 * it, see {@link #attachReplica()}.
	 */
	public void failover() {
		RedisServer old = master();
		Poll.until(this::isFailoverAccepted, () -> "No failover: " + sentinelView());
		awaitMasterOtherThan(old);
	}

	/** Makes the sentinel ignore dead masters, until {@link #noticeOutages()}. */
	public void ignoreOutages() {
		downAfter(Duration.ofDays(1).toMillis());
	}

	/** Makes the sentinel replace a master that does not reply. */
	public void noticeOutages() {
		downAfter(DOWN_AFTER_MILLIS);
	}

	private void downAfter(long millis) {
		sentinel().command("SENTINEL", "SET", NAME, "down-after-milliseconds", String.valueOf(millis));
	}

	/** Waits until a master that was killed is replaced. */
	public void awaitMasterOtherThan(RedisServer old) {
		Poll.until(() -> master() != old && role(master()).startsWith("master"),
				() -> "No other master: " + sentinelView());
	}

	/**
	 * Makes the old master a replica of the new master, and returns when it could take
	 * over. A sentinel also does this, but only after ten seconds.
	 */
	public void attachReplica() {
		replica().command("REPLICAOF", "127.0.0.1", String.valueOf(master().port()));
		awaitReplica();
	}

	@Override
	public void close() {
		// The sentinel is closed first, because it would react to the end of the servers.
		for (int i = this.started.size() - 1; i >= 0; i--) {
			this.started.get(i).close();
		}
	}

	private void awaitReplica() {
		Poll.until(() -> follows(replica(), master()) && sentinelView().contains("\nflags\nslave\n"),
				() -> "No replica: " + sentinelView());
	}

	private boolean isFailoverAccepted() {
		try {
			return sentinel().command("SENTINEL", "FAILOVER", NAME).equals("OK");
		}
		catch (RedisSocket.ErrorReply ex) {
			return false; // for example NOGOODSLAVE: the replica is not ready yet
		}
	}

	private String sentinelView() {
		return sentinel().command("SENTINEL", "REPLICAS", NAME);
	}

	private RedisServer sentinel() {
		return server(2);
	}

	private RedisServer server(int index) {
		return this.started.get(index);
	}

	private static boolean follows(RedisServer replica, RedisServer master) {
		return role(replica).startsWith("slave\n127.0.0.1\n" + master.port() + "\nconnected\n");
	}

	/** The role of a server; empty if it does not reply. */
	private static String role(RedisServer server) {
		try {
			return server.command("ROLE");
		}
		catch (UncheckedIOException ex) {
			return "";
		}
	}

}
