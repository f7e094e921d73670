package io.tierlimit.actuate;

import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;

import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * Responds with a description of the problem to requests that an endpoint does not
 * accept. The error page would not contain the problem, and Spring Security may respond
 * to the error page with 401. The advisor also rejects requests with a parameter or a
 * body property that the operation does not have. Spring Boot ignores unknown properties,
 * so a block whose {@code until} is misspelled would have no end.
 *
 * @param endpoint the id of the endpoint
 * @param status the status of the response
 */
public record InvalidRequestAdvisor(String endpoint, int status) implements OperationInvokerAdvisor {

	@Override
	public OperationInvoker apply(EndpointId endpointId, OperationType operationType, OperationParameters parameters,
			OperationInvoker invoker) {
		if (!endpointId.equals(EndpointId.of(this.endpoint))) {
			return invoker;
		}
		List<String> known = StreamSupport.stream(parameters.spliterator(), false)
			.filter((parameter) -> parameter.getType() != SecurityContext.class)
			.map(OperationParameter::getName)
			.toList();
		return (context) -> {
			for (String name : context.getArguments().keySet()) {
				if (!known.contains(name)) {
					return rejection(unknown(name, known));
				}
			}
			try {
				return invoker.invoke(context);
			}
			catch (InvalidEndpointRequestException ex) {
				return rejection(String.valueOf(ex.getReason()));
			}
		};
	}

	private WebEndpointResponse<Map<String, List<String>>> rejection(String problem) {
		return new WebEndpointResponse<>(OperationResponseBody.of(Map.of("problems", List.of(problem))), this.status);
	}

	private static String unknown(String name, List<String> known) {
		String fix = known.isEmpty() ? "This operation has no properties. Remove it."
				: "Known properties are " + String.join(", ", known) + ". Correct or remove it.";
		return "'" + name + "' is not a known property. " + fix;
	}

}
