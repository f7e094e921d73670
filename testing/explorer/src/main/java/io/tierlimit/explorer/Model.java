package io.tierlimit.explorer;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A small instance of a protocol.
 *
 * @param <S> the type of its states, with {@code equals} and {@code hashCode}
 * @param <A> the type of actions
 */
public interface Model<S, A> {

	/**
	 * The first state.
	 * @return the state
	 */
	S initial();

	/**
	 * The steps that are possible in a state, of which any may be next.
	 * @param state the state
	 * @return the steps; empty in a final state
	 */
	List<Step<S, A>> steps(S state);

	/**
	 * Checks the invariants.
	 * @param state the state
	 * @param last whether no step is possible
	 * @return the violated invariant; {@code null} if all are true
	 */
	@Nullable String violation(S state, boolean last);

	/**
	 * A step from one state to the next.
	 *
	 * @param <S> the type of states
	 * @param <A> the type of actions
	 * @param action the action
	 * @param next the state after it
	 */
	record Step<S, A>(A action, S next) {

	}

}
