package io.tierlimit.autoconfigure;

import io.tierlimit.autoconfigure.rules.ConfiguredRules;
import io.tierlimit.rule.InvalidRulesException;

import org.springframework.beans.BeansException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.web.server.WebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.Ordered;

/**
 * Reads the rules before the web server is created. A filter would read them while the
 * server starts, and the server would log an error of its own for each mistake.
 */
final class RulesBeforeServer implements WebServerFactoryCustomizer<WebServerFactory>, Ordered {

	private final ObjectProvider<ConfiguredRules> rules;

	RulesBeforeServer(ObjectProvider<ConfiguredRules> rules) {
		this.rules = rules;
	}

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
			// A bean that a rule requires may require the server. Then the filter reads
			// the rules.
			if (ex.getRootCause() instanceof InvalidRulesException mistakes) {
				throw mistakes;
			}
		}
	}

}
