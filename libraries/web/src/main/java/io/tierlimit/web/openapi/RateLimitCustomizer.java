package io.tierlimit.web.openapi;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.Operation;
import io.tierlimit.evaluation.MethodRulesLookup;
import io.tierlimit.rule.Rule;
import io.tierlimit.web.RequestRulesLookup;
import org.springdoc.core.customizers.GlobalOpenApiCustomizer;
import org.springdoc.core.customizers.GlobalOperationCustomizer;

import org.springframework.web.method.HandlerMethod;

/**
 * Documents the limits of operations. Springdoc first customizes each operation, whose
 * handler method is known, and later the whole document, where the paths of operations
 * are known. In between, the rules of the method are stored in the operation.
 */
public final class RateLimitCustomizer implements GlobalOperationCustomizer, GlobalOpenApiCustomizer {

	private static final String RULES_OF_METHOD = "x-tierlimit-rules";

	private final RequestRulesLookup requests;

	private final MethodRulesLookup methods;

	private final String servletPath;

	private final RateLimitedResponses responses;

	/**
	 * Creates a customizer.
	 * @param requests finds the current rules for requests
	 * @param methods the rules of annotated methods
	 * @param servletPath the path of Spring MVC's servlet, which documented paths do not
	 * contain; may be empty
	 * @param responses documents responses
	 */
	public RateLimitCustomizer(RequestRulesLookup requests, MethodRulesLookup methods, String servletPath,
			RateLimitedResponses responses) {
		this.requests = requests;
		this.methods = methods;
		this.servletPath = servletPath;
		this.responses = responses;
	}

	@Override
	public Operation customize(Operation operation, HandlerMethod handler) {
		List<Rule> rules = this.methods.of(this.requests.current().all(), handler.getMethod(), handler.getBeanType())
			.rules();
		if (!rules.isEmpty()) {
			operation.addExtension(RULES_OF_METHOD, rules);
		}
		return operation;
	}

	@Override
	public void customise(OpenAPI document) {
		if (document.getPaths() == null) {
			return;
		}
		document.getPaths()
			.forEach((path, item) -> item.readOperationsMap()
				.forEach((method, operation) -> document(method.name(), path, operation)));
	}

	private void document(String method, String path, Operation operation) {
		Map<String, Rule> rules = new LinkedHashMap<>();
		this.requests.current()
			.ofMapping(method, this.servletPath + path)
			.forEach((rule) -> rules.put(rule.id(), rule));
		rulesOfMethod(operation).forEach((rule) -> rules.put(rule.id(), rule));
		List<Rule> enforced = rules.values().stream().filter((rule) -> !rule.isShadow()).toList();
		if (!enforced.isEmpty()) {
			this.responses.document(operation, enforced);
		}
	}

	private static List<Rule> rulesOfMethod(Operation operation) {
		Map<String, Object> extensions = operation.getExtensions();
		List<Rule> rules = new ArrayList<>();
		if (extensions != null && extensions.remove(RULES_OF_METHOD) instanceof List<?> stored) {
			stored.forEach((rule) -> rules.add((Rule) rule));
			operation.setExtensions(extensions.isEmpty() ? null : extensions);
		}
		return rules;
	}

}
