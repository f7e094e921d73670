package io.tierlimit.autoconfigure.rules;

import io.tierlimit.autoconfigure.properties.TierlimitProperties;

import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * All properties below {@code tierlimit}, and the values that could not be converted.
 *
 * @param settings the properties except for the rules
 * @param rules the rules
 * @param failures the values that could not be converted
 */
record BoundProperties(TierlimitProperties settings, RuleSetProperties rules, ConversionFailures failures) {

	/** Binds the properties before the beans for them are created. */
	static BoundProperties bind(Environment environment) {
		ConversionFailures failures = new ConversionFailures();
		BindHandler handler = failures.apply(BindHandler.DEFAULT);
		Binder binder = Binder.get(environment);
		return new BoundProperties(binder.bindOrCreate("tierlimit", Bindable.of(TierlimitProperties.class), handler),
				binder.bindOrCreate("tierlimit", Bindable.of(RuleSetProperties.class), handler), failures);
	}

}
