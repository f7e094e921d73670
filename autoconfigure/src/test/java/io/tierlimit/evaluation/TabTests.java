package io.tierlimit.evaluation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.tierlimit.key.Caller;
import io.tierlimit.key.KeyHash;
import io.tierlimit.key.KeyHashing;
import io.tierlimit.key.SimpleCaller;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.Anonymous;
import io.tierlimit.rule.AppliesTo;
import io.tierlimit.rule.HeaderVisibility;
import io.tierlimit.rule.Limits;
import io.tierlimit.rule.Mode;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.Selection;
import io.tierlimit.store.InMemoryBucketStore;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.Waits;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TabTests {

	private static final Limits TEN = new Limits(new TokenBucket(Rate.parse("1/d"), 10));

	private static final Object[] NOTHING = {};

	private final RateLimitEvaluator evaluator = new RateLimitEvaluator(
			new RuleSet(List.of(new Rule("request", Selection.ALL_REQUESTS, Scope.of(), TEN))), Map.of(),
			new KeyHash(KeyHashing.NONE, null), new InMemoryBucketStore(new SimulatedTicker(), 100));

	private final RateLimiter limiter = new RateLimiter(this.evaluator);

	private final MatchedRule request = new MatchedRule(Objects.requireNonNull(this.evaluator.rule("request")), null);

	private final MatchedRule byArgument = new MatchedRule(this.evaluator.add(
			new Rule("argument", new Selection(AppliesTo.METHODS, List.of(), List.of(), Set.of(), null),
					new Scope(List.of(), null, Anonymous.IP), TEN, "#cost", Mode.ENFORCE, HeaderVisibility.SHOWN),
			List.of("cost")), null);

	private final MethodRules handler = new MethodRules(List.of(this.byArgument), Map.of("cost", 0));

	private final MethodRules service = new MethodRules(List.of(this.request), Map.of());

	private final List<Verdict> told = new ArrayList<>();

	@Test
	void requestRuleIsChargedOnce() {
		Tab tab = tab(MethodRules.NONE);
		tab.evaluate(List.of(this.request), Stage.ONLY);
		tab.evaluate(this.service, NOTHING);
		tab.evaluate(this.service, NOTHING);
		assertThat(left("request")).isEqualTo(9);
	}

	@Test
	void refusedHandlerGivesBackOnce() {
		Tab tab = tab(this.handler);
		tab.evaluate(List.of(this.request), Stage.ONLY);
		assertThat(left("request")).isEqualTo(9);
		assertThat(tab.evaluate(this.handler, new Object[] { 11 }).allowed()).isFalse();
		assertThat(left("request")).isEqualTo(10);
		this.limiter.acquire(Claim.of("request").costing(5));
		tab.close();
		tab.close();
		assertThat(left("request")).isEqualTo(5);
	}

	@Test
	void bucketThatIsSharedForWantOfRoomIsGivenBackToo() {
		RateLimitEvaluator full = new RateLimitEvaluator(
				new RuleSet(List.of(new Rule("request", Selection.ALL_REQUESTS, Scope.of(), TEN),
						new Rule("other", Selection.ALL_REQUESTS, Scope.of(), TEN))),
				Map.of(), new KeyHash(KeyHashing.NONE, null), new InMemoryBucketStore(new SimulatedTicker(), 1));
		full.acquire(List.of(Claim.of("other").costing(10)));
		List<Claim> request = List.of(Claim.of("request").costing(4));
		full.giveBack(full.acquire(request), new Waits());
		assertThat(full.acquire(request).decisions().get(0).decision().remaining()).isEqualTo(6);
	}

	@Test
	void whatWasGivenBackIsChargedAgain() {
		Tab tab = tab(this.handler);
		tab.evaluate(List.of(this.request), Stage.ONLY);
		tab.evaluate(this.handler, new Object[] { 11 });
		tab.evaluate(this.service, NOTHING);
		assertThat(left("request")).isEqualTo(9);
	}

	@Test
	void handlerThatRanKeepsItsCharges() {
		Tab tab = tab(this.handler);
		tab.evaluate(List.of(this.request), Stage.ONLY);
		assertThat(tab.evaluate(this.handler, new Object[] { 1 }).allowed()).isTrue();
		assertThat(tab.evaluate(this.handler, new Object[] { 10 }).allowed()).as("another call").isFalse();
		tab.close();
		assertThat(left("request")).isEqualTo(9);
		assertThat(left("argument")).isEqualTo(9);
	}

	@Test
	void refusalThatIsCaughtIsNoPayment() {
		Tab tab = tab(MethodRules.NONE);
		this.limiter.acquire(Claim.of("request").costing(10));
		assertThat(tab.evaluate(this.service, NOTHING).allowed()).isFalse();
		assertThat(tab.evaluate(this.service, NOTHING).allowed()).isFalse();
	}

	@Test
	void refusalBeforeTheHandlerIsSettledInTheEnd() {
		Tab tab = tab(this.handler);
		tab.evaluate(List.of(this.request), Stage.ONLY);
		this.limiter.acquire(Claim.of("argument").costing(10));
		MethodRules interceptor = new MethodRules(List.of(this.byArgument), Map.of("cost", 0));
		assertThat(tab.evaluate(interceptor, new Object[] { 1 }).allowed()).isFalse();
		assertThat(left("request")).as("it may be caught, and the handler may run").isEqualTo(9);
		tab.close();
		assertThat(left("request")).isEqualTo(10);
	}

	@Test
	void whatIsAllowedIsToldWithAllThatWasDecidedBefore() {
		Tab tab = tab(this.handler);
		tab.evaluate(List.of(this.request), Stage.ONLY);
		tab.evaluate(this.handler, new Object[] { 2 });
		assertThat(this.told).hasSize(2);
		assertThat(this.told.get(1).decisions()).extracting((decision) -> decision.rule().id())
			.containsExactly("request", "argument");
	}

	@Test
	void refusalAtALaterStageGivesBackWhatAnEarlierOneCharged() {
		Tab tab = tab(MethodRules.NONE);
		tab.evaluate(List.of(this.request), Stage.BEFORE_AUTHENTICATION);
		MatchedRule never = new MatchedRule(this.evaluator.add(
				new Rule("never", Selection.ALL_REQUESTS, Scope.of(), TEN, "11", Mode.ENFORCE, HeaderVisibility.SHOWN),
				List.of()), null);
		assertThat(tab.evaluate(List.of(never), Stage.AFTER_AUTHENTICATION).allowed()).isFalse();
		tab.close();
		tab.close();
		assertThat(left("request")).isEqualTo(10);
	}

	@Test
	void handlersRuleIsDecidedAtItsOwnStage() {
		MatchedRule user = new MatchedRule(this.evaluator
			.add(new Rule("user", new Selection(AppliesTo.METHODS, List.of(), List.of(), Set.of(), null),
					new Scope(List.of(Scope.USER), null, Anonymous.IP), TEN, "1", Mode.ENFORCE, HeaderVisibility.SHOWN),
					List.of()),
				null);
		Tab tab = tab(new MethodRules(List.of(user), Map.of()));
		assertThat(tab.evaluate(List.of(this.request), Stage.BEFORE_AUTHENTICATION).decisions()).hasSize(1);
		tab.goOnWith(SimpleCaller.at("10.0.0.1").as("alice"));
		Verdict behind = tab.evaluate(List.of(), Stage.AFTER_AUTHENTICATION);
		assertThat(behind.decisions()).singleElement()
			.satisfies((decision) -> assertThat(decision.charge().key().key()).isEqualTo("alice"));
	}

	private Tab tab(MethodRules handler) {
		return new Tab(this.evaluator, Caller.UNKNOWN, handler, this.told::add);
	}

	private long left(String rule) {
		return this.limiter.peek(Claim.of(rule).costing(0)).decisions().get(0).decision().remaining();
	}

}
