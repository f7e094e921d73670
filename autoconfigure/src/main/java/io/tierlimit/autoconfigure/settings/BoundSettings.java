package io.tierlimit.autoconfigure.settings;

import io.tierlimit.autoconfigure.properties.TierlimitProperties;

import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * The properties below {@code tierlimit} except for the rules, and the values that could
 * not be converted.
 *
 * @param properties the properties
 * @param failures the values that could not be converted
 */
public record BoundSettings(TierlimitProperties properties, ConversionFailures failures) {

	/**
	 * Binds the properties before the bean for them is created.
	 * @param environment has the properties
	 * @return the properties
	 */
	public static BoundSettings bind(Environment environment) {
		ConversionFailures failures = new ConversionFailures();
		return new BoundSettings(Binder.get(environment)
			.bindOrCreate("tierlimit", Bindable.of(TierlimitProperties.class), failures.apply(BindHandler.DEFAULT)),
				failures);
	}

}
