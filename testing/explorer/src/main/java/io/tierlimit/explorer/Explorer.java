package io.tierlimit.explorer;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;

import io.tierlimit.explorer.Model.Step;
import org.jspecify.annotations.Nullable;

/**
 * Visits all states of a model, the nearest first, until an invariant is violated.
 *
 * @param <S> the type of states
 * @param <A> the type of actions
 */
public final class Explorer<S, A> {

	private final Model<S, A> model;

	/** The step by which each state was first reached. */
	private final Map<S, Arrival<S, A>> visited = new HashMap<>();

	private final List<S> last = new ArrayList<>();

	private @Nullable String violation;

	private Explorer(Model<S, A> model) {
		this.model = model;
	}

	/**
	 * Explores a model.
	 * @param <S> the type of states
	 * @param <A> the type of actions
	 * @param model the model
	 * @return the exploration
	 */
	public static <S, A> Explorer<S, A> explore(Model<S, A> model) {
		Explorer<S, A> explorer = new Explorer<>(model);
		explorer.run();
		return explorer;
	}

	private void run() {
		Queue<S> next = new ArrayDeque<>();
		S first = this.model.initial();
		this.visited.put(first, new Arrival<>(null, null));
		next.add(first);
		while (!next.isEmpty()) {
			S state = next.remove();
			List<Step<S, A>> steps = this.model.steps(state);
			String violated = this.model.violation(state, steps.isEmpty());
			if (violated != null) {
				this.violation = violated + " after " + trace(state);
				return;
			}
			if (steps.isEmpty()) {
				this.last.add(state);
			}
			for (Step<S, A> step : steps) {
				if (this.visited.putIfAbsent(step.next(), new Arrival<>(state, step.action())) == null) {
					next.add(step.next());
				}
			}
		}
	}

	/**
	 * The number of states.
	 * @return all states that were reached
	 */
	public int states() {
		return this.visited.size();
	}

	/**
	 * The violated invariant.
	 * @return the invariant with the shortest way to a violation; {@code null} if all
	 * invariants are true
	 */
	public @Nullable String violation() {
		return this.violation;
	}

	/**
	 * The states in which no step is possible.
	 * @return the states
	 */
	public List<S> last() {
		return Collections.unmodifiableList(this.last);
	}

	/**
	 * A shortest way to a state.
	 * @param state a state that was reached
	 * @return the actions
	 */
	public List<A> trace(S state) {
		List<A> actions = new ArrayList<>();
		Arrival<S, A> arrival = this.visited.get(state);
		while (arrival != null && arrival.from() != null && arrival.action() != null) {
			actions.add(arrival.action());
			arrival = this.visited.get(arrival.from());
		}
		Collections.reverse(actions);
		return actions;
	}

	private record Arrival<S, A>(@Nullable S from, @Nullable A action) {

	}

}
