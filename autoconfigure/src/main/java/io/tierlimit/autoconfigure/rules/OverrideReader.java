package io.tierlimit.autoconfigure.rules;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import io.tierlimit.address.IpNetwork;
import io.tierlimit.autoconfigure.environment.PropertyPlaces;
import io.tierlimit.autoconfigure.environment.Spelling;
import io.tierlimit.autoconfigure.environment.UnknownProperties;
import io.tierlimit.autoconfigure.properties.TierlimitProperties.ClientIp;
import io.tierlimit.limit.Limit;
import io.tierlimit.rule.CallerOverride;
import io.tierlimit.rule.CallerOverride.Effect;
import io.tierlimit.rule.CallerOverride.Kind;
import io.tierlimit.rule.CallerOverride.Target;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.reader.LimitReader;
import io.tierlimit.rule.reader.Problems;
import io.tierlimit.rule.reader.PropertyReader;
import io.tierlimit.rule.reader.PropertyText;
import io.tierlimit.rule.reader.PropertyTexts;
import io.tierlimit.rule.reader.RuleProblems;
import org.jspecify.annotations.Nullable;

/**
 * Reads the overrides of all sources, and collects their problems.
 */
final class OverrideReader {

	/** The maximum number of overrides, all of which are in memory. */
	static final int MAX_OVERRIDES = 100_000;

	private final Map<String, Rule> rules = new LinkedHashMap<>();

	/** The ids of rules that are disabled. */
	private final Set<String> inactive;

	private final boolean incomplete;

	private final ClientIp clients;

	private final OverrideKeyCheck keys;

	private final OverridesWithoutEffect withoutEffect;

	private final @Nullable String edited;

	private final Instant now;

	private final Problems problems;

	/** The places of the valid overrides, in the order of their precedence. */
	private final Map<CallerOverride, String> places = new LinkedHashMap<>();

	/** The override that an earlier source has for each plain id. */
	private final Map<String, CallerOverride> lasts = new HashMap<>();

	/**
	 * Creates a reader.
	 * @param rules the rules
	 * @param incomplete whether rules may be missing
	 * @param clients which addresses are treated as one client
	 * @param edited the id of an override that must not overlap another override of its
	 * source; {@code null} for none
	 * @param now the current time
	 * @param problems collects the problems
	 */
	OverrideReader(RuleSet rules, boolean incomplete, ClientIp clients, @Nullable String edited, Instant now,
			Problems problems) {
		rules.rules().forEach((rule) -> this.rules.put(rule.id(), rule));
		this.inactive = rules.inactive();
		this.incomplete = incomplete;
		this.clients = clients;
		this.keys = new OverrideKeyCheck(clients);
		this.withoutEffect = new OverridesWithoutEffect(rules, incomplete, edited, now, new HashMap<>());
		this.edited = edited;
		this.now = now;
		this.problems = problems;
	}

	/**
	 * Reads the overrides.
	 * @param sources what the rule sources have returned, the first of which overrides
	 * all others
	 * @param names reports unknown properties of rule sources
	 * @param configuration the overrides of the configuration
	 * @return the places of the valid overrides, in the order of their precedence
	 */
	Map<CallerOverride, String> read(List<SourceOverrides> sources, UnknownProperties names,
			ConfiguredTexts configuration) {
		int number = sources.stream().mapToInt((source) -> source.overrides().size()).sum()
				+ configuration.overrides().size();
		if (number > MAX_OVERRIDES) {
			this.problems.add("There are " + number + " overrides, but at most " + MAX_OVERRIDES + " are supported. "
					+ "Use plans for groups of callers, and remove overrides that have ended.");
			return Map.of();
		}
		for (SourceOverrides source : sources) {
			Section section = new Section(false);
			source.overrides().forEach((id, stored) -> {
				PropertyTexts texts = stored.texts(id);
				if (Rule.isId(id)) {
					names.check(PropertyPlaces.OVERRIDES, id, texts.written());
				}
				section.read(id, reader(id, texts), stored.place());
			});
			this.lasts.putAll(section.read);
		}
		Section section = new Section(true);
		configuration.overrides()
			.forEach((id, texts) -> section.read(id, reader(id, texts),
					String.valueOf(new PropertyPlaces(PropertyPlaces.OVERRIDES, id, configuration.places()).first())));
		return this.places;
	}

	private PropertyReader reader(String id, PropertyTexts texts) {
		return new PropertyReader(texts, new RuleProblems("Override '" + id + "'", texts, this.problems));
	}

	private @Nullable CallerOverride read(String id, PropertyReader reader) {
		RuleProblems own = reader.problems();
		if (!Rule.isId(id)) {
			own.add("the id must have 1 to 100 letters, digits, dots, dashes and underscores, and must not begin with "
					+ "a dot or a dash", "Correct", "");
			return null;
		}
		Target target = target(reader);
		Effect effect = effect(reader);
		String text = reader.text("until");
		Instant until = (text != null) ? until(text, own) : null;
		Set<String> named = rules(list("rules", reader), own);
		if (target == null || effect == null || own.hasAny()) {
			return null;
		}
		if (named.isEmpty() && (effect == Effect.LIMIT || target.kind() == Kind.KEY)) {
			String number = reader.hasValue("limit") ? "limit" : "rate";
			own.add((effect == Effect.LIMIT) ? number + " replaces the limit of rules, but rules is not set"
					: "key is the key of a rule, but rules is not set", "Set {} to the ids of rules", "rules");
			return null;
		}
		Map<String, Limit> limits = limits(named, target, effect, reader);
		return own.hasAny() ? null
				: new CallerOverride(id, target, named, effect, limits, until, reader.text("reason"));
	}

	private static List<String> list(String property, PropertyReader reader) {
		return reader.list(property).stream().filter((element) -> !element.isBlank()).toList();
	}

	private Map<String, Limit> limits(Set<String> named, Target target, Effect effect, PropertyReader reader) {
		Map<String, Limit> limits = new LinkedHashMap<>();
		for (String name : named) {
			Rule rule = this.rules.get(name);
			if (rule != null && hasTarget(rule, target, effect, reader.problems()) && effect == Effect.LIMIT) {
				Limit limit = new LimitReader(reader, rule.limits().standard()).limit("");
				if (limit != null) {
					limits.put(name, limit);
				}
			}
		}
		return limits;
	}

	private @Nullable Target target(PropertyReader reader) {
		RuleProblems own = reader.problems();
		String user = reader.text("user");
		String address = reader.text("address");
		List<String> key = list("key", reader);
		if (Stream.of(user != null, address != null, !key.isEmpty()).filter((set) -> set).count() != 1) {
			own.add("exactly one of user, address and key must be set", "Correct", "");
			return null;
		}
		if (own.addOuterBlank("user") || own.addOuterBlank("key")) {
			return null;
		}
		return (user != null) ? new Target(Kind.USER, List.of(user))
				: (address != null) ? address(address, reader) : new Target(Kind.KEY, key);
	}

	private @Nullable Target address(String address, PropertyReader reader) {
		RuleProblems own = reader.problems();
		IpNetwork network = own.attempt("address", () -> IpNetwork.parse(address));
		if (network != null && !network.containsClients(this.clients.ipv6Prefix())) {
			own.add("address '" + address + "' is only a part of a client: IPv6 addresses with the same "
					+ this.clients.ipv6Prefix() + " bits share a bucket", "Write the network with these bits in",
					"address");
			return null;
		}
		if (network != null && network.isEverything() && !hasLimit(reader)) {
			own.warn("address '" + address + "' is the network of all "
					+ (network.toString().contains(":") ? "IPv6" : "IPv4") + " addresses, so each of these clients is "
					+ (reader.valueOr("blocked", false) ? "blocked" : "unlimited"), "Correct or remove", "address");
		}
		return (network != null) ? new Target(Kind.ADDRESS, List.of(network.toString())) : null;
	}

	private static @Nullable Effect effect(PropertyReader reader) {
		List<Effect> effects = Stream.of(Effect.values()).filter((effect) -> switch (effect) {
			case LIMIT -> hasLimit(reader);
			case UNLIMITED -> reader.valueOr("unlimited", false);
			case BLOCKED -> reader.valueOr("blocked", false);
		}).toList();
		if (effects.size() == 1) {
			return effects.get(0);
		}
		reader.problems().add("exactly one of rate, limit, unlimited and blocked must be set", "Correct", "");
		return null;
	}

	private static boolean hasLimit(PropertyReader reader) {
		return Stream.of("rate", "burst", "limit").anyMatch(reader::hasValue);
	}

	private static @Nullable Instant until(String text, RuleProblems own) {
		try {
			return OffsetDateTime.parse(text).toInstant();
		}
		catch (DateTimeException ex) {
			own.add("until must be a date and a time with an offset, such as 2030-01-31T18:00:00Z (was '" + text + "')",
					"Correct", "until");
			return null;
		}
	}

	/** The ids of the named rules, as the rules spell them. */
	private Set<String> rules(List<String> named, RuleProblems own) {
		Set<String> ids = new LinkedHashSet<>();
		for (int i = 0; i < named.size(); i++) {
			String spelled = Spelling.known(named.get(i), this.rules.keySet());
			String id = Objects.requireNonNullElse(spelled, named.get(i));
			boolean known = spelled != null || Spelling.known(id, this.inactive) != null;
			if (!known && !this.incomplete) {
				own.add("rule '" + id + "' does not exist. The rules are " + new TreeSet<>(this.rules.keySet()),
						"Correct", "rules[" + i + "]");
			}
			ids.add(id);
		}
		return ids;
	}

	/** Whether the target of an override can have buckets of a rule. */
	private boolean hasTarget(Rule rule, Target target, Effect effect, RuleProblems own) {
		if (target.kind() == Kind.KEY) {
			return this.keys.fits(target.values(), rule, own);
		}
		String part = (target.kind() == Kind.USER) ? Scope.USER : Scope.IP;
		if (effect == Effect.LIMIT && !rule.scope().names().contains(part)) {
			own.add("rule '" + rule.id() + "' has no buckets of its own for "
					+ ((target.kind() == Kind.USER) ? "users" : "addresses") + ", because its scope is " + rule.scope(),
					"Remove the rule from", "rules");
			return false;
		}
		return true;
	}

	/**
	 * The overrides of one source.
	 */
	private final class Section {

		private final boolean strict;

		private final Map<String, CallerOverride> read = new LinkedHashMap<>();

		private final Map<Target, List<CallerOverride>> byTarget = new HashMap<>();

		/**
		 * Begins a source.
		 * @param strict whether overrides that overlap are problems
		 */
		Section(boolean strict) {
			this.strict = strict;
		}

		void read(String id, PropertyReader reader, String place) {
			String plain = PropertyText.plain(id);
			RuleProblems own = reader.problems();
			CallerOverride replacing = OverrideReader.this.lasts.get(plain);
			if (replacing != null && replacing.until() == null) {
				return;
			}
			CallerOverride read = OverrideReader.this.read(id, reader);
			CallerOverride override = (read != null && replacing != null) ? after(replacing, read) : read;
			if (override == null) {
				return;
			}
			if (this.read.putIfAbsent(plain, override) != null) {
				report(override, override, own, "another override has the same id: " + Spelling.DIFFERENCE,
						"Rename or remove");
				return;
			}
			checkOverlap(override, own);
			OverrideReader.this.places.put(override, place);
			OverrideReader.this.withoutEffect.check(override, this.strict, own);
		}

		private void checkOverlap(CallerOverride override, RuleProblems own) {
			List<CallerOverride> others = this.byTarget.computeIfAbsent(override.target(),
					(target) -> new ArrayList<>(1));
			others.stream()
				.filter((other) -> overlap(override, other))
				.findFirst()
				.ifPresent((other) -> report(override, other, own,
						"override '" + other.id() + "' is for the same caller, and for the same rules",
						override.id().equals(OverrideReader.this.edited)
								? "Change or remove override '" + other.id() + "', or correct"
								: "Merge them, and remove"));
			others.add(override);
		}

		/**
		 * The replaced override, which begins at the end of the override that replaces
		 * it. {@code null} if the replaced override has ended by then.
		 */
		private static @Nullable CallerOverride after(CallerOverride replacing, CallerOverride replaced) {
			Instant beginning = replacing.until();
			return (beginning == null || replaced.hasEnded(beginning)) ? null : replaced.from(beginning);
		}

		/**
		 * Reports two overrides that cannot both apply. In a source that changes at run
		 * time, each override may have been written while the other override was not
		 * visible, so this is only a warning there, and the first override applies.
		 */
		private void report(CallerOverride override, CallerOverride other, RuleProblems own, String problem,
				String fix) {
			String edited = OverrideReader.this.edited;
			if (this.strict || override.id().equals(edited) || other.id().equals(edited)) {
				own.add(problem, fix, "");
			}
			else {
				own.warn(problem + ", so it does not apply", fix, "");
			}
		}

		private boolean overlap(CallerOverride one, CallerOverride other) {
			Instant now = OverrideReader.this.now;
			Collection<String> rules = other.rules();
			return !one.hasEnded(now) && !other.hasEnded(now)
					&& (one.rules().isEmpty() || rules.isEmpty() || !Collections.disjoint(one.rules(), rules));
		}

	}

}
