package io.tierlimit.autoconfigure.rules;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.regex.Pattern;

import io.tierlimit.RateLimited;

import org.springframework.core.env.PropertyResolver;

/**
 * What annotations say, in the words of the configuration.
 */
final class AnnotationTexts {

	private static final Pattern DASH = Pattern.compile("-(.)");

	/** What two attributes say: a number and a time. */
	static final String BURST = "burst";

	/** What may stand beside the id of a rule, too. */
	private static final Map<String, Function<RateLimited, String>> KEY_AND_COST = Map.of("key", RateLimited::key,
			"cost", RateLimited::cost);

	private static final Map<String, Function<RateLimited, String>> OWN_TEXTS = Map.of("rate", RateLimited::rate,
			"algorithm", RateLimited::algorithm, BURST, RateLimited::burstTime, "start", RateLimited::start,
			"condition", RateLimited::condition, "headers", RateLimited::headers, "anonymous", RateLimited::anonymous,
			"mode", RateLimited::mode, "on-store-failure", RateLimited::onStoreFailure);

	private static final Map<String, ToLongFunction<RateLimited>> OWN_NUMBERS = Map.of(BURST, RateLimited::burst,
			"capacity", RateLimited::capacity, "max-reserved", RateLimited::maxReserved);

	private static final Map<String, Function<RateLimited, String[]>> OWN_LISTS = Map.of("scope", RateLimited::scope,
			"charge", RateLimited::charge, "reset-on", RateLimited::resetOn);

	private final PropertyResolver placeholders;

	AnnotationTexts(PropertyResolver placeholders) {
		this.placeholders = placeholders;
	}

	/** What is written, as the configuration would say it. */
	Map<String, String> of(RateLimited annotation) {
		Map<String, String> texts = new LinkedHashMap<>();
		texts.put("applies-to", "methods");
		OWN_TEXTS.forEach((property, attribute) -> put(texts, property, attribute.apply(annotation)));
		KEY_AND_COST.forEach((property, attribute) -> put(texts, property, attribute.apply(annotation)));
		put(texts, "max-wait", annotation.maxWait());
		OWN_NUMBERS.forEach((property, attribute) -> {
			if (attribute.applyAsLong(annotation) != -1) {
				texts.put(property, Long.toString(attribute.applyAsLong(annotation)));
			}
		});
		OWN_LISTS.forEach((property, attribute) -> {
			String[] values = attribute.apply(annotation);
			for (int i = 0; i < values.length; i++) {
				texts.put(property + "[" + i + "]", text(values[i]));
			}
		});
		return texts;
	}

	private void put(Map<String, String> texts, String property, String value) {
		if (!value.isEmpty()) {
			texts.put(property, text(value));
		}
	}

	/** Whether an annotation says what only a rule of its own can have. */
	static boolean writesRule(RateLimited annotation) {
		return !annotation.name().isEmpty()
				|| OWN_TEXTS.values().stream().anyMatch((text) -> !text.apply(annotation).isEmpty())
				|| OWN_NUMBERS.values().stream().anyMatch((number) -> number.applyAsLong(annotation) != -1)
				|| OWN_LISTS.values().stream().anyMatch((list) -> list.apply(annotation).length > 0);
	}

	/**
	 * The attribute for a property: {@code resetOn} for {@code reset-on}, and for
	 * {@code burst} the one that is written.
	 */
	static String attribute(RateLimited annotation, String property) {
		if (property.equals(BURST) && !annotation.burstTime().isEmpty()) {
			return "burstTime";
		}
		return DASH.matcher(property).replaceAll((letter) -> letter.group(1).toUpperCase(Locale.ROOT));
	}

	/** A text without its placeholders. */
	String text(String text) {
		return this.placeholders.resolveRequiredPlaceholders(text).strip();
	}

}
