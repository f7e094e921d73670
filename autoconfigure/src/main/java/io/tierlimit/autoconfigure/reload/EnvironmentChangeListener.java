package io.tierlimit.autoconfigure.reload;

import io.tierlimit.evaluation.RuleReloader;

import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.context.ApplicationListener;

/**
 * Reloads the rules when Spring Cloud has changed the environment.
 *
 * @param reloader reads the rules again
 */
public record EnvironmentChangeListener(RuleReloader reloader) implements ApplicationListener<EnvironmentChangeEvent> {

	// The keys are not compared: a placeholder in a rule may name any property.
	@Override
	public void onApplicationEvent(EnvironmentChangeEvent event) {
		if (!event.getKeys().isEmpty()) {
			this.reloader.reload();
		}
	}

}
