package io.tierlimit.autoconfigure.settings;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

import io.tierlimit.autoconfigure.environment.PropertyOrigins;
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

	private static final Bindable<String> TEXT = Bindable.of(String.class);

	/** The requirement and the value, by the property. */
	private final Map<ConfigurationPropertyName, String> failures = new LinkedHashMap<>();

	@Override
	public BindHandler apply(BindHandler handler) {
		return new AbstractBindHandler(handler) {

			@Override
			public <T> @Nullable Bindable<T> onStart(ConfigurationPropertyName name, Bindable<T> target,
					BindContext context) {
				// A string could be converted to a record with a single string as its
				// component, and would replace the properties below it.
				boolean parent = (ROOT.equals(name) || ROOT.isAncestorOf(name))
						&& target.getType().toClass().isRecord();
				return handler.onStart(name,
						parent ? target.withBindRestrictions(BindRestriction.NO_DIRECT_PROPERTY) : target, context);
			}

			@Override
			public @Nullable Object onSuccess(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
					Object result) {
				ConfigurationProperty property = context.getConfigurationProperty();
				if (ROOT.isAncestorOf(name) && property != null
						&& (isTruncated(property.getValue(), result) || (result instanceof Duration && PropertyReader
							.lacksUnit(context.getBinder().bindOrCreate(name, TEXT, BindHandler.DEFAULT))))) {
					throw new IllegalArgumentException("Not valid: " + property);
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

	/** YAML supports fractions, which the conversion to a whole number truncates. */
	private static boolean isTruncated(Object value, Object result) {
		return (value instanceof Double || value instanceof Float || value instanceof BigDecimal)
				&& (result instanceof Integer || result instanceof Long);
	}

	private static String requirement(ResolvableType type) {
		boolean list = type.isArray() || Collection.class.isAssignableFrom(type.toClass());
		Class<?> single = list ? type.asCollection().resolveGeneric() : type.toClass();
		String requirement = (single != null) ? PropertyReader.requirement(single) : null;
		return (requirement != null) ? requirement
				: list ? "a list whose entries are numbered from 0 without a gap" : "a set of properties";
	}

	/** Reports every failure. */
	void report(PropertyOrigins places, Problems problems) {
		this.failures.forEach((name, failure) -> problems.add(name + failure, "Correct", places.find(name)));
	}

}
