package io.tierlimit.actuate;

import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.tierlimit.RuleDecision;
import io.tierlimit.RuleMode;
import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.evaluation.ReloadResult;
import io.tierlimit.evaluation.RuleReloader;
import io.tierlimit.evaluation.ActiveRules;
import io.tierlimit.rule.KebabCase;
import io.tierlimit.rule.NamedParts;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.Scope;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.PermitHolder;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.lang.Nullable;

/**
 * Shows the current rules and the state of buckets. Reloads the rules, sets their mode
 * and resets buckets if the management configuration allows this.
 *
 * @param currentRules supplies the current rules
 * @param store stores the buckets
 * @param rules describes rules
 * @param queries finds buckets
 * @param reloader reads the rules again
 */
// Spring Boot 3.5 finds optional parameters only by Spring's own annotation, later
// versions by any @Nullable. The processor of the configuration metadata only reads the
// annotation of JSpecify.
@SuppressWarnings("deprecation")
@RegisterReflectionForBinding({ RuleDescriptor.class, BucketDescriptor.class, BanDescriptor.class, PermitHolder.class,
		OffenderDescriptor.class, PlanDescriptor.class })
@Endpoint(id = RateLimitsEndpoint.ID, defaultAccess = Access.READ_ONLY)
public record RateLimitsEndpoint(ActiveRules currentRules, BucketStore store, RuleDescriptorFactory rules,
		BucketQueries queries, RuleReloader reloader) {

	/** The id of the endpoint. */
	public static final String ID = "ratelimits";

	private static final int UNPROCESSABLE = 422;

	private static final String BANS = "bans";

	private static final String OFFENDERS = "offenders";

	private static final String HOLDERS = "holders";

	private static final String CONFIGURED = "configured";

	/**
	 * The current rules. If only a plan is given, the limits of the plan under all rules.
	 * If a user or an address is given, all buckets of this caller.
	 * @param user the user's name, as {@code tierlimit.user.key} derives it, or
	 * {@code null}
	 * @param address the address of a client, or {@code null}
	 * @param plan the user's plan; {@code null} for all plans that rules list
	 * @return the store, and all rules with the mode and the last reload, or the buckets;
	 * or the limits of the plan
	 */
	@ReadOperation
	public Map<String, Object> rateLimits(@Nullable @org.jspecify.annotations.Nullable String user,
			@Nullable @org.jspecify.annotations.Nullable String address,
			@Nullable @org.jspecify.annotations.Nullable String plan) {
		String ofUser = text(user);
		String ofAddress = text(address);
		String ofPlan = text(plan);
		if (ofUser == null && ofAddress == null && ofPlan != null) {
			return OperationResponseBody.of(this.rules.ofPlan(ofPlan));
		}
		if (ofUser == null && ofAddress == null) {
			return withStore(
					this.rules.all(ModeDescriptor.of(this.reloader.mode()), ReloadDescriptor.of(this.reloader.last())));
		}
		return buckets(this.queries.findByCaller(ofUser, ofAddress, ofPlan));
	}

	private Map<String, Object> buckets(List<RuleDecision> found) {
		return withStore(Map.of("buckets", this.queries.describe(found)));
	}

	/**
	 * The store comes first. If it is not reachable, the buckets show the local state of
	 * this instance.
	 */
	private Map<String, Object> withStore(Map<String, Object> content) {
		Map<String, Object> described = new LinkedHashMap<>();
		described.put("name", this.store.name());
		described.put("reachable", this.store.status().reachable());
		Map<String, Object> response = new LinkedHashMap<>();
		response.put("store", described);
		response.putAll(content);
		return OperationResponseBody.of(response);
	}

	/**
	 * Sets the mode of all rules on this instance. This is a separate operation, since a
	 * request for a reload has no body.
	 * @param mode {@code shadow}, {@code enforce}, or {@code configured} for the mode of
	 * the sources
	 * @return the current mode
	 * @throws InvalidEndpointRequestException if the mode has another value
	 */
	@WriteOperation
	public ModeDescriptor setMode(String mode) {
		return ModeDescriptor.of(this.reloader.setMode(ruleMode(mode)));
	}

	private static @org.jspecify.annotations.Nullable RuleMode ruleMode(String mode) {
		if (mode.equals(CONFIGURED)) {
			return null;
		}
		return Stream.of(RuleMode.values())
			.filter((candidate) -> KebabCase.of(candidate).equals(mode))
			.findFirst()
			.orElseThrow(() -> invalid("mode must be one of shadow, enforce, configured (was '" + mode + "')"));
	}

	/**
	 * Reads the rules of all sources again, and replaces the current rules if the rules
	 * have changed.
	 * @return 200 and a {@link ReloadDescriptor}, or 422 if the rules are not valid, or
	 * 503 if a source cannot be read
	 */
	@WriteOperation
	public WebEndpointResponse<ReloadDescriptor> reload() {
		ReloadResult result = this.reloader.reload();
		int status = switch (result.outcome()) {
			case REPLACED, UNCHANGED -> WebEndpointResponse.STATUS_OK;
			case INVALID -> UNPROCESSABLE;
			case UNAVAILABLE -> WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE;
		};
		return new WebEndpointResponse<>(ReloadDescriptor.of(result), status);
	}

	/**
	 * A rule or, if a key or a caller is given, the state of its buckets.
	 * @param rule the rule's id
	 * @param key the parts of the key, as one parameter each: the name, a colon, and the
	 * value, such as {@code user:alice}; {@code null} for none, empty for a rule with one
	 * bucket
	 * @param user instead of a key: the user, or {@code null}
	 * @param address instead of a key, or in addition to a user: the address of a client,
	 * which is anonymous without a user; or {@code null}
	 * @param plan the plan, if the rule lists plans; {@code null} for all of them
	 * @return the rule, or the store and the buckets; {@code null} if the rule does not
	 * exist
	 * @throws InvalidEndpointRequestException if the rule's key has other parts
	 */
	@Nullable
	@ReadOperation
	public Object rateLimit(@Selector String rule, @Nullable Object key, @Nullable String user,
			@Nullable String address, @Nullable String plan) {
		CompiledRule found = this.currentRules.current().rule(rule);
		if (found == null || (key == null && text(user) == null && text(address) == null)) {
			return this.rules.of(rule);
		}
		return buckets(find(found, key, text(user), text(address), text(plan)));
	}

	/**
	 * Resets the bucket of a key or a caller, and lifts its ban.
	 * @param rule the rule's id
	 * @param key the parts of the key as above; {@code null} for a rule with one bucket
	 * @param user instead of a key, as above
	 * @param address instead of a key, as above
	 * @param plan the plan, if the rule lists plans; {@code null} for all of them
	 * @return 204 if the bucket was reset, 404 if the rule does not exist, 503 if the
	 * store is not available
	 * @throws InvalidEndpointRequestException if the rule's key has other parts
	 */
	@DeleteOperation
	public WebEndpointResponse<Void> reset(@Selector String rule, @Nullable Object key, @Nullable String user,
			@Nullable String address, @Nullable String plan) {
		CompiledRule found = this.currentRules.current().rule(rule);
		if (found == null) {
			return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
		}
		return done(this.queries.buckets().reset(find(found, key, text(user), text(address), text(plan))));
	}

	/**
	 * The current bans of a rule, or the keys that it has rejected most often. This is
	 * one operation, since the two paths differ only in a variable.
	 * @param rule the rule's id
	 * @param part {@code bans} or {@code offenders}
	 * @return the store, and the bans or the keys; {@code null} if the rule or the part
	 * does not exist
	 */
	@Nullable
	@ReadOperation
	public Map<String, Object> part(@Selector String rule, @Selector String part) {
		CompiledRule found = this.currentRules.current().rule(rule);
		if (found == null) {
			return null;
		}
		return switch (part) {
			case BANS -> withStore(Map.of(BANS, this.queries.bans(found)));
			case OFFENDERS -> withStore(this.queries.offenders(found));
			default -> null;
		};
	}

	/**
	 * Lifts a ban and resets its bucket (the part "bans"), or releases the permits of a
	 * request that may still be in flight (the part "holders"). Both paths have the same
	 * form, so they are one operation.
	 * @param rule the rule's id
	 * @param part the list: "bans" or "holders"
	 * @param key the key of a bucket, as bans and buckets show it
	 * @param holder the id of the holder; {@code null} for a ban
	 * @return 204 if the bucket is no longer banned, or the permits were released; 404 if
	 * the rule, the part or the holder does not exist; 503 if the store is not available
	 */
	@DeleteOperation
	public WebEndpointResponse<Void> remove(@Selector String rule, @Selector String part, String key,
			@Nullable String holder) {
		CompiledRule found = this.currentRules.current().rule(rule);
		if (found != null && part.equals(BANS)) {
			return done(this.queries.buckets().resetStored(found, key));
		}
		if (found == null || !part.equals(HOLDERS) || holder == null) {
			return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
		}
		boolean released = this.queries.buckets().release(found, key, holder);
		return (released || !this.store.status().reachable()) ? done(released)
				: new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
	}

	private static WebEndpointResponse<Void> done(boolean done) {
		return new WebEndpointResponse<>(
				done ? WebEndpointResponse.STATUS_NO_CONTENT : WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
	}

	private List<RuleDecision> find(CompiledRule rule, @Nullable Object key, @Nullable String user,
			@Nullable String address, @Nullable String plan) {
		if (key == null && (user != null || address != null)) {
			List<RuleDecision> found = this.queries.findByCaller(rule, user, address, plan);
			if (found.isEmpty()) {
				throw undetermined(rule, plan);
			}
			return found;
		}
		return this.queries.findByKey(rule, namedParts(rule, key), plan);
	}

	private static Map<String, String> namedParts(CompiledRule rule, @Nullable Object key) {
		Map<String, String> named = NamedParts.read(parts(key), rule.key().names());
		if (named == null) {
			throw invalid(describeKey(rule));
		}
		return named;
	}

	/**
	 * Describes the parts of a key. The message contains no values, which may be secret.
	 */
	private static String describeKey(CompiledRule rule) {
		List<String> names = rule.key().names().stream().sorted().toList();
		return names.isEmpty()
				? "Rule '" + rule.rule().id()
						+ "' has one bucket, whose key has no parts: leave the parameter 'key' empty"
				: "The key of rule '" + rule.rule().id() + "' has the parts " + names
						+ ": add the parameter 'key' once for each part, with its name and its value, as in "
						+ names.stream()
							.map((name) -> "key=" + NamedParts.write(name, "..."))
							.collect(Collectors.joining("&"));
	}

	private static InvalidEndpointRequestException undetermined(CompiledRule compiled, @Nullable String plan) {
		Rule rule = compiled.rule();
		if (plan == null && rule.limits().plans().isEmpty() && rule.scope().names().contains(Scope.PLAN)) {
			return invalid("Rule '" + rule.id() + "' has a bucket for each plan: add the parameter 'plan'");
		}
		return invalid("The user, the address and the plan do not determine a bucket of rule '" + rule.id() + "'. "
				+ describeKey(compiled));
	}

	private static InvalidEndpointRequestException invalid(String problem) {
		return new InvalidEndpointRequestException(problem, problem);
	}

	/** An empty parameter is treated as a missing parameter. */
	@Nullable
	private static String text(@Nullable String parameter) {
		return (parameter == null || parameter.isEmpty()) ? null : parameter;
	}

	/**
	 * The values of a parameter. A single value is a string, which may contain commas.
	 */
	static List<String> parts(@Nullable Object key) {
		if (key == null || key.equals("")) {
			return List.of();
		}
		Collection<?> parts = (key instanceof Collection<?> several) ? several
				: Arrays.asList((key instanceof Object[] array) ? array : new Object[] { key });
		return parts.stream().map(String::valueOf).toList();
	}

}
