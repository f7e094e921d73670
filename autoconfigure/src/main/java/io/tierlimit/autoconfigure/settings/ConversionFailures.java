package io.tierlimit.autoconfigure.settings;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

import io.tierlimit.autoconfigure.environment.PropertyOrigins;
import io.tierlimit.autoconfigure.environment.PropertyTree;
import io.tierlimit.rule.KebabCase;
import io.tierlimit.rule.reader.Problems;
import io.tierlimit.rule.reader.PropertyReader;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Bindable.BindRestriction;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.ResolvableType;

/**
 * Collects the values below {@code tierlimit} that cannot be converted to the types of
 * their properties. Binding continues without them, so that they are reported together
 * with all other problems.
 */
public final class ConversionFailures implements ConfigurationPropertiesBindHandlerAdvisor {

	private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("tierlimit");

	/** The requirement and the value, by the property. */
	private final Map<ConfigurationPropertyName, String> failures = new LinkedHashMap<>();

	@Override
	public BindHandler apply(BindHandler handler) {
		return new AbstractBindHandler(handler) {

			@Override
			public <T> @Nullable Bindable<T> onStart(ConfigurationPropertyName name, Bindable<T> target,
					BindContext context) {
				// A text could be converted to a record with a single text, and replace
				// the properties below it.
				boolean parent = ROOT.equals(name) || (ROOT.isAncestorOf(name) && PropertyTree.SETTINGS.isParent(name));
				return handler.onStart(name,
						parent ? target.withBindRestrictions(BindRestriction.NO_DIRECT_PROPERTY) : target, context);
			}

			@Override
			public Object onCreate(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
					Object result) {
				return handler.onCreate(name, target, context, result);
			}

			@Override
			public @Nullable Object onSuccess(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
					Object result) {
				ConfigurationProperty property = context.getConfigurationProperty();
				// YAML has fractions, which the conversion would truncate.
				if (ROOT.isAncestorOf(name) && property != null && isFraction(property.getValue())
						&& isWhole(target.getBoxedType().toClass())) {
					throw new IllegalArgumentException("Not a whole number: " + property);
				}
				if (ROOT.isAncestorOf(name) && property != null && result instanceof Duration
						&& PropertyReader.lacksUnit(text(name, context))) {
					throw new IllegalArgumentException("Not a time with a unit: " + property);
				}
				return handler.onSuccess(name, target, context, result);
			}

			@Override
			public @Nullable Object onFailure(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
					Exception error) throws Exception {
				if (!ROOT.isAncestorOf(name)) {
					return super.onFailure(name, target, context, error);
				}
				ConfigurationProperty property = context.getConfigurationProperty();
				add(name, (property != null) ? property.getValue() : null, target.getBoxedType());
				return null;
			}

		};
	}

	private void add(ConfigurationPropertyName name, @Nullable Object value, ResolvableType type) {
		boolean partOfKnown = this.failures.keySet().stream().anyMatch(name::isAncestorOf);
		if (!partOfKnown) {
			this.failures.put(name,
					" must be " + requirement(type) + ((value != null) ? " (was '" + value + "')" : ""));
		}
	}

	/** The value of a property with its placeholders resolved. */
	private static String text(ConfigurationPropertyName name, BindContext context) {
		return context.getBinder().bindOrCreate(name, Bindable.of(String.class), BindHandler.DEFAULT);
	}

	private static boolean isFraction(Object value) {
		return value instanceof Double || value instanceof Float || value instanceof BigDecimal;
	}

	private static boolean isWhole(@Nullable Class<?> type) {
		return type == Integer.class || type == Long.class;
	}

	private static String requirement(ResolvableType type) {
		Class<?> single = type.isArray() || Collection.class.isAssignableFrom(type.toClass())
				? type.asCollection().resolveGeneric() : type.toClass();
		if (single != null && single.isEnum()) {
			return "one of " + Arrays.stream(single.getEnumConstants())
				.map((constant) -> KebabCase.of((Enum<?>) constant))
				.collect(Collectors.joining(", "));
		}
		if (single == Boolean.class) {
			return "true or false";
		}
		if (single == Duration.class) {
			return "a time such as 500ms, 10s or 5m";
		}
		if (single != null && Number.class.isAssignableFrom(single)) {
			return isWhole(single) ? "a whole number" : "a number";
		}
		return (single != type.toClass()) ? "a list whose entries are numbered from 0 without a gap"
				: "a set of properties";
	}

	/** Reports every failure. */
	void report(PropertyOrigins places, Problems problems) {
		this.failures.forEach((name, failure) -> problems.add(name + failure, "Correct", places.find(name)));
	}

}
