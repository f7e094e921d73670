package io.tierlimit.actuate;

import java.util.List;
import java.util.stream.StreamSupport;

import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * Rejects requests for an endpoint that have a parameter, or a property in the body, that
 * the operation does not have. Spring Boot ignores them, so a block with a misspelled end
 * would have none.
 */
public final class UnknownParameterAdvisor implements OperationInvokerAdvisor {

	private final EndpointId endpoint;

	private final int status;

	/**
	 * Creates an advisor.
	 * @param endpoint the id of the endpoint
	 * @param status the status of the response
	 */
	public UnknownParameterAdvisor(String endpoint, int status) {
		this.endpoint = EndpointId.of(endpoint);
		this.status = status;
	}

	@Override
	public OperationInvoker apply(EndpointId endpointId, OperationType operationType, OperationParameters parameters,
			OperationInvoker invoker) {
		if (!endpointId.equals(this.endpoint)) {
			return invoker;
		}
		List<String> known = StreamSupport.stream(parameters.spliterator(), false)
			.filter((parameter) -> parameter.getType() != SecurityContext.class)
			.map(OperationParameter::getName)
			.toList();
		return (context) -> {
			for (String name : context.getArguments().keySet()) {
				if (!known.contains(name)) {
					return reject(name, known);
				}
			}
			return invoker.invoke(context);
		};
	}

	private WebEndpointResponse<ProblemListDescriptor> reject(String unknown, List<String> known) {
		String fix = known.isEmpty() ? "This operation has no properties. Remove it."
				: "Known properties are " + String.join(", ", known) + ". Correct or remove it.";
		return new WebEndpointResponse<>(
				new ProblemListDescriptor(List.of("'" + unknown + "' is not a known property. " + fix)), this.status);
	}

}
