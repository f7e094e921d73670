package io.tierlimit.redis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.tierlimit.junit.Poll;

/**
 * A real Redis Cluster of three masters with a replica each. The replica of a dead master
 * takes over after two to three seconds.
 */
public final class RedisCluster implements AutoCloseable {

	private static final int SLOTS = 16384;

	private static final int MASTERS = 3;

	private static final List<String> OPTIONS = List.of("--cluster-enabled", "yes", "--cluster-node-timeout", "1000",
			"--repl-diskless-sync", "yes", "--repl-diskless-sync-delay", "0");

	private final List<RedisServer> nodes = new ArrayList<>();

	private RedisCluster(String... options) {
		try {
			String[] all = Stream.concat(OPTIONS.stream(), Arrays.stream(options)).toArray(String[]::new);
			this.nodes.addAll(RedisServer.start(2 * MASTERS, List.of(), all));
			for (int i = 0; i < MASTERS; i++) {
				assignSlots(i);
			}
			meet();
			for (int i = 0; i < MASTERS; i++) {
				this.nodes.get(MASTERS + i).command("CLUSTER", "REPLICATE", id(this.nodes.get(i)));
			}
			awaitHealthy();
		}
		catch (RuntimeException ex) {
			close();
			throw ex;
		}
	}

	/**
	 * Returns when all nodes agree that the cluster is healthy.
	 * @param options for every node, as in {@link RedisServer#start(String...)}
	 */
	public static RedisCluster start(String... options) {
		return new RedisCluster(options);
	}

	/** The nodes: the three initial masters, then the replica of each. */
	public List<RedisServer> nodes() {
		return List.copyOf(this.nodes);
	}

	public List<Integer> ports() {
		return this.nodes.stream().map(RedisServer::port).toList();
	}

	/** The slot of a key, by its hash tag if it has one. */
	public int slotOf(String key) {
		return Integer.parseInt(anyNode().command("CLUSTER", "KEYSLOT", key));
	}

	/** The living master of a slot. */
	public RedisServer masterOf(int slot) {
		return findMasterOf(slot).orElseThrow(() -> new IllegalStateException("No living master of slot " + slot));
	}

	/**
	 * Waits until all nodes report another master for a slot whose master was killed.
	 */
	public void awaitMasterOtherThan(RedisServer old, int slot) {
		Poll.until(() -> findMasterOf(slot).filter((master) -> master != old && allKnowOwner(slot, master)).isPresent(),
				this::describe);
	}

	/**
	 * Waits until every node is up, with all slots served and each replica in sync with
	 * its master.
	 */
	public void awaitHealthy() {
		Poll.until(() -> this.nodes.stream().allMatch(RedisCluster::isHealthy), this::describe);
	}

	/** Moves a slot with its keys to another master. */
	public void moveSlot(int slot, RedisServer to) {
		beginMove(slot, to);
		moveKeys(slot, to);
		finishMove(slot, to);
	}

	/**
	 * Starts to move a slot: from now on, its master redirects clients to the other
	 * master for missing keys (ASK).
	 */
	public void beginMove(int slot, RedisServer to) {
		RedisServer from = masterOf(slot);
		to.command("CLUSTER", "SETSLOT", String.valueOf(slot), "IMPORTING", id(from));
		from.command("CLUSTER", "SETSLOT", String.valueOf(slot), "MIGRATING", id(to));
	}

	/** Moves one key of a moving slot, but no other key of the slot. */
	public void moveKey(String key, RedisServer to) {
		move(masterOf(slotOf(key)), to, List.of(key));
	}

	/** Moves the current keys of a moving slot. */
	public void moveKeys(int slot, RedisServer to) {
		RedisServer from = masterOf(slot);
		List<String> keys = keys(from, slot);
		while (!keys.isEmpty()) {
			move(from, to, keys);
			keys = keys(from, slot);
		}
	}

	/**
	 * Reports the new owner of a slot to all masters, and waits until all nodes use it
	 * (MOVED).
	 */
	public void finishMove(int slot, RedisServer to) {
		// The new master comes first, because the slot must not be without an owner.
		Stream.concat(Stream.of(to), this.nodes.stream().filter((node) -> node != to && isMaster(node)))
			.forEach((node) -> node.command("CLUSTER", "SETSLOT", String.valueOf(slot), "NODE", id(to)));
		Poll.until(() -> allKnowOwner(slot, to), this::describe);
	}

	@Override
	public void close() {
		this.nodes.forEach(RedisServer::close);
	}

	private void assignSlots(int master) {
		List<String> command = new ArrayList<>(List.of("CLUSTER", "ADDSLOTS"));
		IntStream.range(master * SLOTS / MASTERS, (master + 1) * SLOTS / MASTERS)
			.forEach((slot) -> command.add(String.valueOf(slot)));
		this.nodes.get(master).command(command.toArray(String[]::new));
		// Otherwise all masters have the same epoch, and resolve this conflict slowly.
		this.nodes.get(master).command("CLUSTER", "SET-CONFIG-EPOCH", String.valueOf(master + 1));
	}

	/** Introduces all nodes to each other, which is faster than gossip. */
	private void meet() {
		for (RedisServer node : this.nodes) {
			for (RedisServer other : this.nodes.subList(0, this.nodes.indexOf(node))) {
				node.command("CLUSTER", "MEET", "127.0.0.1", String.valueOf(other.port()));
			}
		}
		Poll.until(() -> this.nodes.stream().allMatch(RedisCluster::hasMetAll), this::describe);
	}

	private Optional<RedisServer> findMasterOf(int slot) {
		record Owner(RedisServer server, long epoch) {
		}
		return this.nodes.stream()
			.flatMap((server) -> ClusterNode.viewOf(server)
				.stream()
				.filter((node) -> node.is("myself") && node.is("master") && node.owns(slot))
				.map((node) -> new Owner(server, node.epoch())))
			.max(Comparator.comparingLong(Owner::epoch))
			.map(Owner::server);
	}

	/** Whether all living nodes report the same owner. */
	private boolean allKnowOwner(int slot, RedisServer owner) {
		String id = id(owner);
		return this.nodes.stream()
			.filter(RedisServer::isAlive)
			.map(ClusterNode::viewOf)
			.allMatch((nodes) -> nodes.stream()
				.allMatch((node) -> node.owns(slot) == node.id().equals(id) && !node.moves(slot)));
	}

	private RedisServer anyNode() {
		return this.nodes.stream()
			.filter((node) -> !ClusterNode.viewOf(node).isEmpty())
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("No node replies"));
	}

	private String describe() {
		StringBuilder text = new StringBuilder("The cluster is not in the expected state:");
		this.nodes.forEach((node) -> text.append("\n").append(node).append(": ").append(ClusterNode.viewOf(node)));
		return text.toString();
	}

	private static boolean isHealthy(RedisServer server) {
		if (!hasMetAll(server)) {
			return false;
		}
		String state = server.command("CLUSTER", "INFO");
		String replication = server.command("INFO", "replication");
		return state.contains("cluster_state:ok") && state.contains("cluster_slots_ok:" + SLOTS)
				&& (replication.contains("master_link_status:up") || replication.contains("state=online"))
				&& ClusterNode.viewOf(server).stream().filter((node) -> node.is("slave")).count() == MASTERS;
	}

	private static boolean hasMetAll(RedisServer server) {
		List<ClusterNode> known = ClusterNode.viewOf(server);
		return known.size() == 2 * MASTERS && known.stream().allMatch(ClusterNode::isConnected);
	}

	private static boolean isMaster(RedisServer server) {
		return ClusterNode.viewOf(server).stream().anyMatch((node) -> node.is("myself") && node.is("master"));
	}

	private static String id(RedisServer server) {
		return server.command("CLUSTER", "MYID");
	}

	private static List<String> keys(RedisServer server, int slot) {
		return server.command("CLUSTER", "GETKEYSINSLOT", String.valueOf(slot), "100").lines().toList();
	}

	private static void move(RedisServer from, RedisServer to, List<String> keys) {
		List<String> command = new ArrayList<>(
				List.of("MIGRATE", "127.0.0.1", String.valueOf(to.port()), "", "0", "5000", "KEYS"));
		command.addAll(keys);
		from.command(command.toArray(String[]::new));
	}

}
