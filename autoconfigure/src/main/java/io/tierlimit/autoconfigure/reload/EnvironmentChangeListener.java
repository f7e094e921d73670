package io.tierlimit.autoconfigure.reload;

import io.tierlimit.evaluation.RuleReloader;

import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.context.ApplicationListener;

/**
 * Reloads the rules when Spring Cloud has changed the environment.
 */
public final class EnvironmentChangeListener implements ApplicationListener<EnvironmentChangeEvent> {

	private final RuleReloader reloader;

	/**
	 * Creates a listener.
	 * @param reloader reads the rules again
	 */
	public EnvironmentChangeListener(RuleReloader reloader) {
		this.reloader = reloader;
	}

	// The keys are not compared: a placeholder in a rule may name any property.
	@Override
	public void onApplicationEvent(EnvironmentChangeEvent event) {
		if (!event.getKeys().isEmpty()) {
			this.reloader.reload();
		}
	}

}
