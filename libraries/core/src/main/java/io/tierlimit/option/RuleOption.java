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
import org.jspecify.annotations.Nullable;

/**
 * An option of one rule. It implements one group of the rule's properties. Each method
 * has a default that changes nothing. The options of all rules are called in the same
 * order. An option does not depend on other options.
 * <p>
 * The methods are called in these cases:
 * <table>
 * <caption>Calls to an option</caption>
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
 * <td>{@link #held}</td>
 * <td>if the rule holds permits</td>
 * <td>if the rule holds permits</td>
 * <td>no</td>
 * </tr>
 * <tr>
 * <td>{@link #begin}, {@link #effect}</td>
 * <td>within requests</td>
 * <td>no</td>
 * <td>no</td>
 * </tr>
 * <tr>
 * <td>{@link #settlement}</td>
 * <td>within requests</td>
 * <td>without {@link CostSettlement#actualCost}</td>
 * <td>no</td>
 * </tr>
 * </table>
 */
public interface RuleOption {

	/**
	 * The facts that determine when the rule can be evaluated, and how it is settled.
	 * They do not include facts that the option reads only if they are known, such as the
	 * user of an override.
	 * @return the facts, which do not change
	 */
	default Set<Fact> reads() {
		return Set.of();
	}

	/**
	 * Whether the rule applies at this time.
	 * @return whether the rule is active
	 */
	default boolean isActive() {
		return true;
	}

	/**
	 * Whether the rule applies to a caller.
	 * @param caller the caller
	 * @return whether it applies
	 * @throws InvalidRequestValueException if a fact of the caller is not valid
	 */
	default boolean appliesTo(Caller caller) {
		return true;
	}

	/**
	 * Changes the terms of a charge.
	 * @param terms the terms so far
	 * @param facts the caller and the key of its bucket
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
	 * @return whether it rejects requests; otherwise the rule only counts violations for
	 * this key
	 */
	default boolean enforces(BucketKey bucket) {
		return true;
	}

	/**
	 * Changes how the store treats charges. Called once for each purpose, when the rule
	 * is compiled.
	 * @param options the options so far
	 * @param purpose the kind of request that is charged
	 * @return other options, or the same
	 */
	default ChargeOptions charge(ChargeOptions options, Purpose purpose) {
		return options;
	}

	/**
	 * Whether a caller that has not changed its behavior may be rejected because the rule
	 * has become stricter. Such rejections are not counted for bans.
	 * @param ticks the length of the time before now in which a change is relevant
	 * @param facts the caller and the key of its bucket
	 * @return whether the rule may have become stricter for the caller in that time
	 * @throws InvalidRequestValueException if a fact of the caller is not valid
	 */
	default boolean hasTightened(long ticks, ChargeFacts facts) {
		return false;
	}

	/**
	 * Called after a request of this instance has acquired permits that it holds, and
	 * after it has released them.
	 * @param permits the number of acquired permits; negative for released permits
	 */
	default void held(long permits) {
	}

	/**
	 * Whether the option keeps an object for each request.
	 * @return whether {@link #begin} must be called
	 */
	default boolean followsRequests() {
		return false;
	}

	/**
	 * Adds the object that the option keeps for a request until its end, unless it was
	 * already added.
	 * @param caller the name of the user, or the client address if there is no user
	 * @param kept the objects that are kept for the request, to which the option adds its
	 * own
	 */
	default void begin(String caller, List<InFlight> kept) {
	}

	/**
	 * Decides at the end of the request what happens to a charge, if the option reads
	 * {@link Fact#OUTCOME}. If the result depends on {@link EndedCharge#named}, the
	 * option also reads {@link Fact#HANDLER}. If options return different results,
	 * {@code KEEP} has precedence over {@code RESET}, which has precedence over
	 * {@code REFUND}.
	 * @param outcome the outcome of the request
	 * @param charge the charge
	 * @return what happens to the charge; {@link OutcomeEffect#NONE} if the option does
	 * not decide this
	 */
	default OutcomeEffect effect(RequestOutcome outcome, EndedCharge charge) {
		return OutcomeEffect.NONE;
	}

	/**
	 * Replaces the cost of a charge by the actual cost at the end of the request, unless
	 * {@link #effect} refunds the charge or resets the bucket. Rejections of such a rule
	 * are not cached, because any instance may return permits.
	 * @return the settlement of costs; {@code null} if the cost of a charge is final
	 */
	default @Nullable CostSettlement settlement() {
		return null;
	}

	/**
	 * Called once for each verdict that contains a decision of the rule. Must not throw
	 * an exception, because the other options of the rule would then not be called.
	 * @param decisions the decisions of the verdict
	 * @param index the index of the decision of the rule
	 */
	default void decided(List<RuleDecision> decisions, int index) {
	}

	/**
	 * The meters of the option.
	 * @return the meters; they are replaced by the meters of the next rule set
	 */
	default List<OptionMeter> meters() {
		return List.of();
	}

	/**
	 * Describes the option for the management endpoint.
	 * @param description the values that the endpoint shows for the rule, by their names:
	 * numbers, strings, times, and lists and maps of these
	 */
	default void describe(Map<String, Object> description) {
	}

	/**
	 * Adds a value to a description.
	 * @param description the values by their names
	 * @param name the name of the value
	 * @param value the value; {@code null} for none
	 */
	static void put(Map<String, Object> description, String name, @Nullable Object value) {
		if (value != null) {
			description.put(name, value);
		}
	}

	/**
	 * A fact that determines when a rule can be evaluated, or how it is settled.
	 */
	enum Fact {

		/**
		 * A fact that is known only after authentication, such as the user, the plan or
		 * the authorities.
		 */
		IDENTITY,

		/** The handler or the path of the request. */
		TARGET,

		/**
		 * The outcome of the request, which is known at its end, when the option settles
		 * charges. Such charges are treated differently. Rejections are not cached,
		 * because any instance may refund a charge. The level of the bucket is not shown
		 * without a request. Refunded permits are not charged again, because no request
		 * would settle that charge.
		 */
		OUTCOME,

		/** {@link EndedCharge#named()}, on which {@link RuleOption#effect} depends. */
		HANDLER

	}

	/**
	 * The purpose of a charge.
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
