package io.tierlimit.redis;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * A line of {@code CLUSTER NODES}: what one node of a cluster knows of another or of
 * itself.
 *
 * @param id the node's name
 * @param flags for instance myself, master
 * @param epoch of two that claim a slot, the one with the higher epoch has it
 * @param slots single slots, ranges, and in brackets those that are being moved
 */
record ClusterNode(String id, List<String> flags, long epoch, List<String> slots) {

	private static final Duration TIMEOUT = Duration.ofSeconds(1);

	/** All that a server knows; empty if it doesn't answer. */
	static List<ClusterNode> knownTo(RedisServer server) {
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

	/** Whether all is well with it: met, and not thought to fail. */
	boolean isSettled() {
		return List.of("myself", "master", "slave").containsAll(this.flags);
	}

	boolean owns(int slot) {
		return this.slots.stream().filter((range) -> !range.startsWith("[")).anyMatch((range) -> {
			String[] ends = range.split("-", 2);
			return Integer.parseInt(ends[0]) <= slot && slot <= Integer.parseInt(ends[ends.length - 1]);
		});
	}

	/** Whether a move of the slot has begun and not ended. */
	boolean moves(int slot) {
		return this.slots.stream().anyMatch((range) -> range.startsWith("[" + slot + "-"));
	}

}
