package io.tierlimit.actuate;

import java.security.Principal;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.tierlimit.evaluation.OverrideEditor;
import io.tierlimit.evaluation.OverrideEditor.Edit;
import io.tierlimit.evaluation.OverrideEditor.Placed;
import io.tierlimit.evaluation.ActiveRules;
import io.tierlimit.logging.PrintableText;
import io.tierlimit.rule.CallerOverride;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.lang.Nullable;

/**
 * Shows the overrides of callers. Sets and removes overrides if the management
 * configuration allows this. Logs each edit at INFO: the operator, the edit, and the
 * override before and after the edit.
 *
 * @param rules supplies the current rules
 * @param editor changes overrides
 * @param clock the current time
 */
// See the comment in RateLimitsEndpoint.
@SuppressWarnings("deprecation")
@Endpoint(id = RateLimitOverridesEndpoint.ID, defaultAccess = Access.READ_ONLY)
public record RateLimitOverridesEndpoint(ActiveRules rules, OverrideEditor editor, InstantSource clock) {

	/** The id of the endpoint. */
	public static final String ID = "ratelimitoverrides";

	/** The status of a response to an edit that is not valid. */
	public static final int UNPROCESSABLE = 422;

	private static final Log logger = LogFactory.getLog(RateLimitOverridesEndpoint.class);

	private static final int MOST = 1000;

	/**
	 * The overrides.
	 * @return the number of overrides, and at most 1,000 overrides, the highest
	 * precedence first
	 */
	@ReadOperation
	public Map<String, Object> overrides() {
		List<CallerOverride> all = this.rules.current().overrides();
		Map<String, Object> response = new LinkedHashMap<>();
		response.put("total", all.size());
		response.put("overrides", all.stream().limit(MOST).map(this::describe).toList());
		return OperationResponseBody.of(response);
	}

	/**
	 * An override.
	 * @param id the id of the override
	 * @return the override; {@code null} if no override has the id
	 */
	@Nullable
	@ReadOperation
	public OperationResponseBody override(@Selector String id) {
		CallerOverride found = find(id);
		return (found != null) ? describe(found) : null;
	}

	/**
	 * The active override with an id or, if none is active, the override that takes
	 * precedence over all others with the id.
	 */
	@org.jspecify.annotations.Nullable
	private CallerOverride find(String id) {
		CallerOverride first = this.rules.current().override(id);
		Instant now = this.clock.instant();
		if (first == null || !first.hasEnded(now)) {
			return first;
		}
		return this.rules.current()
			.overrides()
			.stream()
			.filter((override) -> override.id().equals(id) && override.isActive(now))
			.findFirst()
			.orElse(first);
	}

	/**
	 * Sets an override, which replaces an earlier override with the same id. The
	 * parameters have the names of the properties below {@code tierlimit.overrides}.
	 * @param context the operator
	 * @param id the id of the override
	 * @param rules the ids of rules, separated by commas; {@code null} for all
	 * @param user the user, or {@code null}
	 * @param address the address or the network, or {@code null}
	 * @param key the parts of the key, as one parameter each: the name, a colon, and the
	 * value, such as {@code user:alice}; or {@code null}
	 * @param rate the rate, or {@code null}
	 * @param burst the burst, or {@code null}
	 * @param limit the number of permits that can be in use at the same time, or
	 * {@code null}
	 * @param unlimited whether the rules do not limit the caller
	 * @param blocked whether the rules reject every request of the caller
	 * @param until the end, or {@code null}
	 * @param reason why there is an override, or {@code null}
	 * @return 200 and an {@link OverrideEditDescriptor}, or 422 if the override is not
	 * valid, or 503 if it cannot be stored
	 */
	@WriteOperation
	public WebEndpointResponse<OverrideEditDescriptor> set(SecurityContext context, @Selector String id,
			@Nullable String rules, @Nullable String user, @Nullable String address, @Nullable Object key,
			@Nullable String rate, @Nullable String burst, @Nullable String limit, @Nullable String unlimited,
			@Nullable String blocked, @Nullable String until, @Nullable String reason) {
		Map<String, String> properties = new LinkedHashMap<>();
		put(properties, "rules", rules);
		put(properties, "user", user);
		put(properties, "address", address);
		List<String> parts = RateLimitsEndpoint.parts(key);
		for (int i = 0; i < parts.size(); i++) {
			put(properties, "key[" + i + "]", parts.get(i));
		}
		put(properties, "rate", rate);
		put(properties, "burst", burst);
		put(properties, "limit", limit);
		put(properties, "unlimited", unlimited);
		put(properties, "blocked", blocked);
		put(properties, "until", until);
		put(properties, "reason", reason);
		return response("set", id, this.editor.set(id, properties), context);
	}

	private static void put(Map<String, String> properties, String name,
			@org.jspecify.annotations.Nullable String value) {
		if (value != null) {
			properties.put(name, value);
		}
	}

	/**
	 * Removes an override that was set with this endpoint or in a table.
	 * @param context the operator
	 * @param id the id of the override
	 * @return 200 and an {@link OverrideEditDescriptor}, or 404 if no override has the
	 * id, or 422 if it is defined elsewhere, or 503 if it cannot be removed
	 */
	@DeleteOperation
	public WebEndpointResponse<OverrideEditDescriptor> remove(SecurityContext context, @Selector String id) {
		return response("removed", id, this.editor.remove(id), context);
	}

	private WebEndpointResponse<OverrideEditDescriptor> response(String edited, String id, Edit edit,
			SecurityContext context) {
		int status = switch (edit.outcome()) {
			case DONE -> WebEndpointResponse.STATUS_OK;
			case UNKNOWN -> WebEndpointResponse.STATUS_NOT_FOUND;
			case INVALID -> UNPROCESSABLE;
			case UNAVAILABLE -> WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE;
		};
		OverrideDescriptor before = (edit.before() != null) ? describe(edit.before()) : null;
		OverrideDescriptor after = (edit.after() != null) ? describe(edit.after()) : null;
		if (edit.outcome() == Edit.Outcome.DONE) {
			Principal operator = context.getPrincipal();
			logger.info(PrintableText.of("Override '" + id + "' was " + edited + " by "
					+ ((operator != null) ? "'" + operator.getName() + "'" : "an operator without authentication")
					+ ". Before: " + before + ". After: " + after + "."));
		}
		return new WebEndpointResponse<>(new OverrideEditDescriptor(edit.problems(), before, after), status);
	}

	private OverrideDescriptor describe(Placed placed) {
		return OverrideDescriptor.of(placed.override(), placed.origin(), this.clock.instant());
	}

	private OverrideDescriptor describe(CallerOverride override) {
		return describe(new Placed(override, this.editor.originOf(override)));
	}

}
