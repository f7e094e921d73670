package io.tierlimit.application;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.servlet.support.SpringBootServletInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.web.context.WebApplicationContext;

/**
 * An application that a standalone Tomcat starts as a deployed WAR, with Spring Boot's
 * filter for error pages before all other filters.
 */
final class DeployedWar extends SpringBootServletInitializer {

	private final SpringApplicationBuilder configured;

	private final String[] arguments;

	private final Tomcat tomcat = new Tomcat();

	private @Nullable ConfigurableApplicationContext context;

	private DeployedWar(SpringApplicationBuilder configured, String... arguments) {
		this.configured = configured;
		this.arguments = arguments;
	}

	/** Deploys an application on a free port. The port is in its environment. */
	static DeployedWar start(SpringApplicationBuilder configured, String... arguments) {
		DeployedWar war = new DeployedWar(configured, arguments);
		try {
			war.deploy(Files.createTempDirectory("tierlimit-war"));
		}
		catch (IOException | LifecycleException ex) {
			throw new IllegalStateException(ex);
		}
		return war;
	}

	private void deploy(Path base) throws LifecycleException {
		base.toFile().deleteOnExit();
		this.tomcat.setBaseDir(base.toString());
		this.tomcat.setPort(0);
		Context deployed = this.tomcat.addContext("", base.toString());
		deployed.setParentClassLoader(getClass().getClassLoader());
		deployed.addServletContainerInitializer((classes, servlets) -> onStartup(servlets), Set.of());
		// Tomcat only creates the connector on request.
		Connector connector = this.tomcat.getConnector();
		this.tomcat.start();
		context().getEnvironment()
			.getPropertySources()
			.addFirst(new MapPropertySource("port", Map.of("local.server.port", connector.getLocalPort())));
	}

	ConfigurableApplicationContext context() {
		return Objects.requireNonNull(this.context);
	}

	void stop() {
		try {
			this.tomcat.stop();
			this.tomcat.destroy();
		}
		catch (LifecycleException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	protected SpringApplicationBuilder createSpringApplicationBuilder() {
		return this.configured;
	}

	@Override
	protected @Nullable WebApplicationContext run(SpringApplication application) {
		this.context = application.run(this.arguments);
		return (WebApplicationContext) this.context;
	}

}
