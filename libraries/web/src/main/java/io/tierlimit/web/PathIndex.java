package io.tierlimit.web;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.PathContainer;
import org.springframework.http.server.PathContainer.Element;
import org.springframework.http.server.PathContainer.PathSegment;

/**
 * Finds the values whose methods and path patterns may match a request, without testing
 * each pattern.
 * <p>
 * For each method there is a tree of the first segments of patterns, up to the first
 * segment with a variable or a wildcard: {@code /orders/{id}/items} is stored at
 * {@code orders}. A pattern can match a path only if the path starts with these segments.
 * A search follows the segments of a path to the last matching node. All values of this
 * node and of the nodes above it are candidates; each node contains this list. The caller
 * tests the patterns of the candidates. A search compares regions of the path, and
 * creates no objects. Its time does not depend on the number of other values.
 *
 * @param <T> the type of the values
 */
public final class PathIndex<T> {

	private static final String GET = "GET";

	private static final String HEAD = "HEAD";

	private final Map<String, Node> byMethod = new HashMap<>();

	/** The tree for a method that no value lists. */
	private final Node otherMethods = new Node("");

	private final boolean empty;

	private final boolean ignoringCase;

	/** The order in which the values were given. */
	private final Comparator<T> order;

	/**
	 * Creates an index.
	 * @param entries the values; a request may match several of them
	 * @param ignoringCase whether patterns match paths with another case
	 */
	public PathIndex(List<Entry<T>> entries, boolean ignoringCase) {
		this.empty = entries.isEmpty();
		this.ignoringCase = ignoringCase;
		IdentityHashMap<T, Integer> positions = new IdentityHashMap<>();
		for (Entry<T> entry : entries) {
			positions.putIfAbsent(entry.value(), positions.size());
			entry.methods().forEach((method) -> this.byMethod.put(method, new Node("")));
		}
		if (this.byMethod.containsKey(GET)) {
			this.byMethod.put(HEAD, new Node(""));
		}
		this.order = Comparator.comparingInt((value) -> Objects.requireNonNull(positions.get(value)));
		for (Entry<T> entry : entries) {
			this.byMethod.forEach((method, root) -> {
				if (entry.matches(method)) {
					add(entry, root);
				}
			});
			if (entry.methods().isEmpty()) {
				add(entry, this.otherMethods);
			}
		}
		this.byMethod.values().forEach((root) -> root.complete(List.of()));
		this.otherMethods.complete(List.of());
	}

	private void add(Entry<T> entry, Node root) {
		if (entry.patterns().isEmpty()) {
			root.values.add(entry.value());
		}
		for (String pattern : entry.patterns()) {
			Node node = root;
			for (String segment : pattern.split("/", -1)) {
				if (segment.chars().anyMatch((c) -> "*?{".indexOf(c) >= 0)) {
					break;
				}
				node = segment.isEmpty() ? node : node.children.computeIfAbsent(segment, Node::new);
			}
			node.values.add(entry.value());
		}
	}

	private Node root(String method) {
		Node root = this.byMethod.get(method);
		return (root != null) ? root : this.otherMethods;
	}

	/**
	 * Finds values.
	 * @param method the method of a request
	 * @param path the path of the request, decoded
	 * @return all values that match the request, and perhaps others, in the order of the
	 * entries
	 */
	public List<T> find(String method, String path) {
		Node node = root(method);
		int start = 0;
		while (start < path.length() && !node.children.isEmpty()) {
			int slash = path.indexOf('/', start);
			int end = (slash >= 0) ? slash : path.length();
			Node child = (end > start) ? node.child(path, start, end) : node;
			if (child == null) {
				break;
			}
			node = child;
			start = end + 1;
		}
		return node.values;
	}

	/**
	 * Whether a request may match a value.
	 * @param request any request
	 * @return false only if no value matches the request; always true if the path has
	 * several forms
	 */
	public boolean mayMatch(HttpServletRequest request) {
		List<T> found = find(request);
		return found == null || !found.isEmpty();
	}

	/**
	 * Finds values for a request.
	 * @param request any request
	 * @return all values that match the request, and perhaps others, in the order of the
	 * entries; {@code null} if the path has several forms
	 */
	public @Nullable List<T> find(HttpServletRequest request) {
		if (this.empty) {
			return List.of();
		}
		String plain = RequestPaths.plain(request);
		return (plain != null) ? find(request.getMethod(), plain) : null;
	}

	/** Finds values for any of several forms of a path. */
	Collection<T> find(String method, PathContainer... forms) {
		Set<T> found = new TreeSet<>(this.order);
		for (PathContainer form : forms) {
			Node node = root(method);
			for (Element element : form.elements()) {
				String segment = (element instanceof PathSegment named) ? named.valueToMatch() : "";
				Node child = segment.isEmpty() ? node : node.child(segment, 0, segment.length());
				if (child == null) {
					break;
				}
				node = child;
			}
			found.addAll(node.values);
		}
		return found;
	}

	/**
	 * A value with the requests that it matches.
	 *
	 * @param <T> the type of the value
	 * @param value the value
	 * @param methods HTTP methods, where GET includes HEAD; empty for all
	 * @param patterns path patterns of Spring; empty for all paths
	 */
	public record Entry<T>(T value, Collection<String> methods, Collection<String> patterns) {

		private boolean matches(String method) {
			return this.methods.isEmpty() || this.methods.contains(method)
					|| (method.equals(HEAD) && this.methods.contains(GET));
		}

	}

	/** A segment. Its children are the segments that follow it. */
	private final class Node {

		private final String segment;

		private final Map<String, Node> children = new TreeMap<>(
				PathIndex.this.ignoringCase ? String.CASE_INSENSITIVE_ORDER : Comparator.naturalOrder());

		/** The children by hash code; the length is a power of two. */
		private @Nullable Node[] table = newTable(1);

		/** The next node in the same slot of the parent's table. */
		private @Nullable Node next;

		private List<T> values = new ArrayList<>(0);

		Node(String segment) {
			this.segment = segment;
		}

		/** Adds the values of the nodes above this node, and creates the tables. */
		void complete(List<T> before) {
			TreeSet<T> all = new TreeSet<>(PathIndex.this.order);
			all.addAll(before);
			all.addAll(this.values);
			this.values = (all.size() == before.size()) ? before : List.copyOf(all);
			this.table = newTable(Integer.highestOneBit(Math.max(1, 2 * this.children.size())));
			for (Node node : this.children.values()) {
				int place = hash(node.segment, 0, node.segment.length()) & (this.table.length - 1);
				node.next = this.table[place];
				this.table[place] = node;
				node.complete(this.values);
			}
		}

		@SuppressWarnings("unchecked")
		private @Nullable Node[] newTable(int length) {
			return (Node[]) Array.newInstance(Node.class, length);
		}

		/** The child whose segment is a region of a path. */
		@Nullable Node child(String path, int start, int end) {
			Node node = this.table[hash(path, start, end) & (this.table.length - 1)];
			while (node != null && !(node.segment.length() == end - start
					&& path.regionMatches(PathIndex.this.ignoringCase, start, node.segment, 0, end - start))) {
				node = node.next;
			}
			return node;
		}

		private int hash(String path, int start, int end) {
			int hash = 0;
			for (int i = start; i < end; i++) {
				char c = path.charAt(i);
				hash = 31 * hash + (PathIndex.this.ignoringCase ? folded(c) : c);
			}
			return hash ^ (hash >>> 16);
		}

		/**
		 * Folds the case of a character. The case of a surrogate depends on the other
		 * half of its pair, so surrogates are not distinguished.
		 */
		private static int folded(char c) {
			return Character.isSurrogate(c) ? 0 : Character.toLowerCase(Character.toUpperCase(c));
		}

	}

}
