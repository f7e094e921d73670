package io.tierlimit.address;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Maps networks to values, and finds the values of all networks that contain an address.
 * A look-up takes one step for each prefix length that occurs, whatever the number of
 * networks is.
 *
 * @param <T> the type of the values
 */
public final class NetworkMap<T> {

	private final Map<IpNetwork, T> values = new HashMap<>();

	/** The prefix lengths that occur, within 128 bits, the longest first. */
	private final TreeSet<Integer> prefixes = new TreeSet<>(Comparator.reverseOrder());

	/**
	 * Whether no network has a value.
	 * @return whether the map is empty
	 */
	public boolean isEmpty() {
		return this.values.isEmpty();
	}

	/**
	 * Returns the value of a network.
	 * @param network the network
	 * @param absent creates the value if the network has none
	 * @return the value
	 */
	public T computeIfAbsent(IpNetwork network, Supplier<T> absent) {
		this.prefixes.add(network.bits());
		return this.values.computeIfAbsent(network, (none) -> absent.get());
	}

	/**
	 * Returns the values of all networks that contain a client.
	 * @param client an address or a network, as {@code Caller.ip()} returns it
	 * @return the values, starting with the value of the smallest network; empty if the
	 * string is neither an address nor a network
	 */
	public List<T> containing(String client) {
		if (client.indexOf('/') >= 0) {
			try {
				return containing(IpNetwork.parse(client));
			}
			catch (IllegalArgumentException ex) {
				return List.of();
			}
		}
		IpAddress address = IpAddress.parse(client);
		return (address != null) ? containing(new IpNetwork(address, IpAddress.BITS)) : List.of();
	}

	private List<T> containing(IpNetwork client) {
		List<T> found = new ArrayList<>(0);
		for (int bits : this.prefixes) {
			IpNetwork network = client.widened(bits);
			T value = (network != null) ? this.values.get(network) : null;
			if (value != null) {
				found.add(value);
			}
		}
		return found;
	}

}
