package io.tierlimit.option;

import java.util.List;
import java.util.Map;
import java.util.Set;

import io.tierlimit.RuleDecision;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.InvalidRequestValueException;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.ChargeOptions;

/**
 * An option of one rule: what a group of its properties does. Each method has a default
 * that changes nothing. A rule calls its options in one order; a rule without options
 * calls nothing. An option depends on no other option.
 * <p>
 * What is called for what:
 * <table>
 * <caption>Calls of an option</caption>
 * <tr>
 * <th></th>
 * <th>requests, annotated methods</th>
 * <th>code ({@code RateLimiter})</th>
 * <th>levels (endpoints, own limits, {@code peek})</th>
 * </tr>
 * <tr>
 * <td>{@link #isActive}</td>
 * <td>yes</td>
 * <td>yes</td>
 * <td>own limits, {@code peek}</td>
 * </tr>
 * <tr>
 * <td>{@link #appliesTo}</td>
 * <td>yes</td>
 * <td>no</td>
 * <td>own limits</td>
 * </tr>
 * <tr>
 * <td>{@link #terms}, {@link #enforces}, {@link #charge}</td>
 * <td>yes</td>
 * <td>yes</td>
 * <td>yes</td>
 * </tr>
 * <tr>
 * <td>{@link #hasTightened}</td>
 * <td>if the rule has a ban</td>
 * <td>if the rule has a ban</td>
 * <td>{@code peek}, if the rule has a ban</td>
 * </tr>
 * <tr>
 * <td>{@link #decided}</td>
 * <td>yes</td>
 * <td>yes</td>
 * <td>no</td>
 * </tr>
 * <tr>
 * <td>{@link #begin}, {@link #settle}</td>
 * <td>within requests</td>
 * <td>no</td>
 * <td>no</td>
 * </tr>
 * </table>
 */
public interface RuleOption {

	/**
	 * The facts that decide where the rule can be evaluated. An option that reads a fact
	 * only if it is known, such as the user of an override, does not name it.
	 * @return the facts, which do not change
	 */
	default Set<Fact> reads() {
		return Set.of();
	}

	/**
	 * Whether the rule applies at this time.
	 * @return whether it does
	 */
	default boolean isActive() {
		return true;
	}

	/**
	 * Whether the rule applies to a caller.
	 * @param caller the caller
	 * @return whether it does
	 * @throws InvalidRequestValueException if a fact of the caller is not valid
	 */
	default boolean appliesTo(Caller caller) {
		return true;
	}

	/**
	 * Changes the terms of a charge.
	 * @param terms the terms so far
	 * @param facts the caller and its key
	 * @return other terms, or the same
	 * @throws InvalidRequestValueException if a fact of the caller is not valid
	 */
	default Terms terms(Terms terms, ChargeFacts facts) {
		return terms;
	}

	/**
	 * Whether the rule rejects requests with a key, unless the rule as a whole is in
	 * shadow mode.
	 * @param bucket the bucket of the key
	 * @return whether it does; otherwise the key is in shadow mode
	 */
	default boolean enforces(BucketKey bucket) {
		return true;
	}

	/**
	 * Changes how the store treats charges. Called once.
	 * @param options the options so far
	 * @param purpose what is charged
	 * @return other options, or the same
	 */
	default ChargeOptions charge(ChargeOptions options, Purpose purpose) {
		return options;
	}

	/**
	 * Whether a caller who has not changed its behavior may be rejected, because the rule
	 * has become stricter. Such rejections do not count for bans.
	 * @param ticks how long ago the rule may have become stricter
	 * @param facts the caller and its key
	 * @return whether the rule may have become stricter for the caller since then
	 * @throws InvalidRequestValueException if a fact of the caller is not valid
	 */
	default boolean hasTightened(long ticks, ChargeFacts facts) {
		return false;
	}

	/**
	 * Whether the option keeps anything for requests.
	 * @return whether {@link #begin} must be called
	 */
	default boolean followsRequests() {
		return false;
	}

	/**
	 * Begins what the option keeps for a request until its end, unless the request keeps
	 * it already.
	 * @param caller the name of the user, otherwise the address
	 * @param kept what the request keeps; the option adds to it
	 */
	default void begin(String caller, List<InFlight> kept) {
	}

	/**
	 * Settles a charge at the end of the request, if the option reads
	 * {@link Fact#OUTCOME}. Of several options, {@code KEEP} overrides {@code RESET},
	 * which overrides {@code REFUND}.
	 * @param outcome the outcome of the request
	 * @param charge the charge
	 * @return what becomes of the charge, if it is the option's business
	 */
	default Settlement settle(RequestOutcome outcome, SettledCharge charge) {
		return Settlement.NONE;
	}

	/**
	 * Whether {@link #settle} depends on whether the rule's paths name the handler.
	 * @return whether it does
	 */
	default boolean settlesByHandler() {
		return false;
	}

	/**
	 * Called once for each verdict of a request, a call or code in which the rule has
	 * decided. Must not throw: the further options of the rule would not be called.
	 * @param decisions the decisions of the verdict
	 * @param index the index of the decision of the rule
	 */
	default void decided(List<RuleDecision> decisions, int index) {
	}

	/**
	 * The meters of the option.
	 * @return the meters; those of the next rule set replace them
	 */
	default List<OptionMeter> meters() {
		return List.of();
	}

	/**
	 * Describes the option for the management endpoint.
	 * @param description what the endpoint shows of the rule, by name: numbers, texts,
	 * times, and lists and maps of these
	 */
	default void describe(Map<String, Object> description) {
	}

	/**
	 * A fact that decides where a rule can be evaluated.
	 */
	enum Fact {

		/** The user, the plan or the authorities: known after authentication. */
		IDENTITY,

		/** The handler or the path of the request. */
		TARGET,

		/**
		 * The outcome of the request: known at its end, where the option settles charges.
		 * Any instance may refund such a charge, so its rejection is not cached; other
		 * callers do not see its level; and it is not charged again without a request
		 * that settles it.
		 */
		OUTCOME

	}

	/**
	 * What a charge is for.
	 */
	enum Purpose {

		/** A request that may wait for its permits. */
		WAITING,

		/** A request that cannot wait. */
		IMMEDIATE,

		/** A reservation of code. */
		RESERVATION

	}

}
