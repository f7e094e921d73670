package io.tierlimit.web.address;

/**
 * The groups of an IPv6 address as far as they are read. A gap, written {@code ::},
 * stands for as many zero groups as are missing.
 */
final class Ipv6Groups {

	private static final int GROUPS = 8;

	private static final int NO_GAP = -1;

	private final int[] groups = new int[GROUPS];

	private int count;

	/** How many groups stand before the gap. */
	private int gap = NO_GAP;

	/**
	 * Adds a group.
	 * @param group its 16 bits
	 * @return whether there is room for it
	 */
	boolean add(int group) {
		if (this.count == GROUPS) {
			return false;
		}
		this.groups[this.count++] = group;
		return true;
	}

	/**
	 * Adds the gap.
	 * @return whether it is the only one
	 */
	boolean addGap() {
		boolean only = this.gap == NO_GAP;
		this.gap = this.count;
		return only;
	}

	/**
	 * Tells whether the groups are an address.
	 * @return whether none is missing, or the gap stands for one at least
	 */
	boolean isComplete() {
		return (this.gap == NO_GAP) ? this.count == GROUPS : this.count < GROUPS;
	}

	/**
	 * Puts the groups together.
	 * @return the address; only if the groups are complete
	 */
	IpAddress toAddress() {
		long high = 0;
		long low = 0;
		for (int place = 0; place < GROUPS; place++) {
			high = (high << 16) | (low >>> 48);
			low = (low << 16) | at(place);
		}
		return new IpAddress(high, low);
	}

	private int at(int place) {
		if (this.gap == NO_GAP || place < this.gap) {
			return this.groups[place];
		}
		int missing = GROUPS - this.count;
		return (place < this.gap + missing) ? 0 : this.groups[place - missing];
	}

}
