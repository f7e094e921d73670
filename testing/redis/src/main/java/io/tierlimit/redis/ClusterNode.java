package io.tierlimit.redis;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * A line of {@code CLUSTER NODES}: the state of a node, as another node or the node
 * itself reports it.
 *
 * @param id the node's name
 * @param flags flags such as myself or master
 * @param epoch if two nodes claim a slot, the node with the higher epoch owns it
 * @param slots single slots, ranges, and moving slots in brackets
 */
record ClusterNode(String id, List<String> flags, long epoch, List<String> slots) {

	private static final Duration TIMEOUT = Duration.ofSeconds(1);

	/** All nodes in the view of a server; empty if it does not reply. */
	static List<ClusterNode> viewOf(RedisServer server) {
		if (server.isFrozen()) {
			return List.of();
		}
		try (RedisSocket socket = server.connect(TIMEOUT)) {
			return socket.command("CLUSTER", "NODES").lines().map(ClusterNode::parse).toList();
		}
		catch (UncheckedIOException ex) {
			return List.of();
		}
	}

	private static ClusterNode parse(String line) {
		List<String> words = Arrays.asList(line.split(" ", -1));
		return new ClusterNode(words.get(0), Arrays.asList(words.get(2).split(",", -1)), Long.parseLong(words.get(6)),
				words.subList(8, words.size()));
	}

	boolean is(String flag) {
		return this.flags.contains(flag);
	}

	/** Whether the node is connected, and is not suspected to have failed. */
	boolean isConnected() {
		return List.of("myself", "master", "slave").containsAll(this.flags);
	}

	boolean owns(int slot) {
		return this.slots.stream().filter((range) -> !range.startsWith("[")).anyMatch((range) -> {
			String[] ends = range.split("-", 2);
			return Integer.parseInt(ends[0]) <= slot && slot <= Integer.parseInt(ends[ends.length - 1]);
		});
	}

	/** Whether the slot is moving. */
	boolean moves(int slot) {
		return this.slots.stream().anyMatch((range) -> range.startsWith("[" + slot + "-"));
	}

}
