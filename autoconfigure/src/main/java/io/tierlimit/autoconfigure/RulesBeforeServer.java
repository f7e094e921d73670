package io.tierlimit.autoconfigure;

import io.tierlimit.autoconfigure.rules.ConfiguredRules;
import io.tierlimit.rule.InvalidRulesException;

import org.springframework.beans.BeansException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.web.server.WebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.Ordered;

/**
 * Reads the rules before the web server is created. Otherwise a filter would read them
 * while the server starts, and the server would log its own error for each mistake.
 *
 * @param rules provides the rules
 */
record RulesBeforeServer(
		ObjectProvider<ConfiguredRules> rules) implements WebServerFactoryCustomizer<WebServerFactory>, Ordered {

	@Override
	public int getOrder() {
		return HIGHEST_PRECEDENCE;
	}

	@Override
	public void customize(WebServerFactory factory) {
		try {
			this.rules.getObject();
		}
		catch (BeansException ex) {
			// If a bean that a rule requires needs the server, the filter reads the rules
			// instead.
			if (ex.getRootCause() instanceof InvalidRulesException mistakes) {
				throw mistakes;
			}
		}
	}

}
