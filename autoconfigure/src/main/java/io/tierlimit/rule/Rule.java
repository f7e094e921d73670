package io.tierlimit.rule;

import java.util.regex.Pattern;

/**
 * What an operator writes.
 *
 * @param id the public name: letters, digits, dots, dashes and underscores, 100 at most;
 * a number behind {@code #} tells apart rules that one method or class writes
 * @param selection which requests or method calls
 * @param scope whose bucket
 * @param limits which limit
 * @param cost permits that one request takes: a whole number, or an expression over the
 * caller
 * @param mode whether the rule refuses
 * @param visibility whether callers are told
 * @param store how it deals with a shared store
 * @param reservations how far callers can reserve permits that have not come yet
 * @param charging what it makes of how a request ends
 */
public record Rule(String id, Selection selection, Scope scope, Limits limits, String cost, Mode mode,
		HeaderVisibility visibility, StorePolicy store, Reservations reservations, Charging charging) {

	private static final Pattern ID = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,99}(#[0-9]{1,4})?");

	/**
	 * Creates a rule.
	 * @throws IllegalArgumentException if the id has characters that a header field can't
	 * carry, or permits are to be reserved that can't be
	 */
	public Rule {
		if (!ID.matcher(id).matches()) {
			throw new IllegalArgumentException(
					"A rule's id has 1 to 100 letters, digits, dots, dashes and underscores, "
							+ "and begins with none of '.' and '-', but was '" + id + "'");
		}
		if (!reservations.equals(Reservations.NONE) && !limits.areReservable()) {
			throw new IllegalArgumentException("Rule '" + id + "' reserves permits, but there is none to come under "
					+ limits.standard().algorithm());
		}
	}

	/**
	 * Creates a rule that charges every request, that nothing can be reserved under, and
	 * that deals with a shared store as most do.
	 * @param id the public name
	 * @param selection which requests or method calls
	 * @param scope whose bucket
	 * @param limits which limit
	 * @param cost permits that one request takes
	 * @param mode whether the rule refuses
	 * @param visibility whether callers are told
	 */
	public Rule(String id, Selection selection, Scope scope, Limits limits, String cost, Mode mode,
			HeaderVisibility visibility) {
		this(id, selection, scope, limits, cost, mode, visibility, StorePolicy.STANDARD, Reservations.NONE,
				Charging.STANDARD);
	}

	/**
	 * Creates a rule that costs 1 permit, is enforced and shown.
	 * @param id the public name
	 * @param selection which requests or method calls
	 * @param scope whose bucket
	 * @param limits which limit
	 */
	public Rule(String id, Selection selection, Scope scope, Limits limits) {
		this(id, selection, scope, limits, "1", Mode.ENFORCE, HeaderVisibility.SHOWN);
	}

	/**
	 * Whether the rule applies to requests.
	 * @return whether it does; otherwise only to calls whose annotation names it, and to
	 * programs
	 */
	public boolean appliesToRequests() {
		return this.selection.appliesTo() == AppliesTo.REQUESTS;
	}

	/**
	 * Whether the rule refuses nothing.
	 * @return whether the mode is shadow
	 */
	public boolean isShadow() {
		return this.mode == Mode.SHADOW;
	}

}
