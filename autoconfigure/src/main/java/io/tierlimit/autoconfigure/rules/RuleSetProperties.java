package io.tierlimit.autoconfigure.rules;

import java.util.Map;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The rules below {@code tierlimit.rules}.
 *
 * @param rules Rules by their ids.
 */
@ConfigurationProperties("tierlimit")
record RuleSetProperties(@DefaultValue Map<String, RuleProperties> rules) {

}
