package io.tierlimit.option;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.tierlimit.RuleDecision;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.spi.Caller;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.ChargeOptions;
import org.jspecify.annotations.Nullable;

/**
 * All options of a rule, in the order in which their methods are called.
 */
public final class CompositeOption implements RuleOption {

	private final RuleOption[] options;

	/**
	 * Creates the options of a rule.
	 * @param options the options
	 */
	public CompositeOption(List<RuleOption> options) {
		this.options = options.toArray(RuleOption[]::new);
	}

	/**
	 * Whether the rule has no options.
	 * @return whether there are no options
	 */
	public boolean isEmpty() {
		return this.options.length == 0;
	}

	/**
	 * Finds an option.
	 * @param <T> the type of the option
	 * @param type the type of the option
	 * @return the option, or {@code null} if the rule does not have it
	 */
	public <T extends RuleOption> @Nullable T find(Class<T> type) {
		for (RuleOption option : this.options) {
			if (type.isInstance(option)) {
				return type.cast(option);
			}
		}
		return null;
	}

	private boolean any(Predicate<RuleOption> test) {
		for (RuleOption option : this.options) {
			if (test.test(option)) {
				return true;
			}
		}
		return false;
	}

	@Override
	public Set<Fact> reads() {
		Set<Fact> facts = EnumSet.noneOf(Fact.class);
		for (RuleOption option : this.options) {
			facts.addAll(option.reads());
		}
		return facts;
	}

	@Override
	public boolean isActive() {
		return !any((option) -> !option.isActive());
	}

	/** Whether all options apply to a caller. Called only while the rule is active. */
	@Override
	public boolean appliesTo(Caller caller) {
		for (RuleOption option : this.options) {
			if (!option.appliesTo(caller)) {
				return false;
			}
		}
		return true;
	}

	@Override
	public Terms terms(Terms terms, ChargeFacts facts) {
		Terms changed = terms;
		for (RuleOption option : this.options) {
			changed = option.terms(changed, facts);
		}
		return changed;
	}

	@Override
	public boolean enforces(BucketKey bucket) {
		for (RuleOption option : this.options) {
			if (!option.enforces(bucket)) {
				return false;
			}
		}
		return true;
	}

	@Override
	public ChargeOptions charge(ChargeOptions options, Purpose purpose) {
		ChargeOptions changed = options;
		for (RuleOption option : this.options) {
			changed = option.charge(changed, purpose);
		}
		return changed;
	}

	@Override
	public boolean hasTightened(long ticks, ChargeFacts facts) {
		return any((option) -> option.hasTightened(ticks, facts));
	}

	@Override
	public void held(long permits) {
		for (RuleOption option : this.options) {
			option.held(permits);
		}
	}

	@Override
	public boolean followsRequests() {
		return any(RuleOption::followsRequests);
	}

	/** Adds the objects that the options keep for the request. */
	@Override
	public void begin(String caller, List<InFlight> kept) {
		for (RuleOption option : this.options) {
			option.begin(caller, kept);
		}
	}

	@Override
	public OutcomeEffect effect(RequestOutcome outcome, EndedCharge charge) {
		OutcomeEffect effect = OutcomeEffect.NONE;
		for (RuleOption option : this.options) {
			OutcomeEffect other = option.effect(outcome, charge);
			effect = (other.compareTo(effect) < 0) ? other : effect;
		}
		return effect;
	}

	/** The only settlement of costs. */
	@Override
	public @Nullable CostSettlement settlement() {
		for (RuleOption option : this.options) {
			CostSettlement settlement = option.settlement();
			if (settlement != null) {
				return settlement;
			}
		}
		return null;
	}

	@Override
	public void decided(List<RuleDecision> decisions, int index) {
		for (RuleOption option : this.options) {
			option.decided(decisions, index);
		}
	}

	@Override
	public List<OptionMeter> meters() {
		return Stream.of(this.options).flatMap((option) -> option.meters().stream()).toList();
	}

	@Override
	public void describe(Map<String, Object> description) {
		for (RuleOption option : this.options) {
			option.describe(description);
		}
	}

}
