package io.tierlimit.actuate;

import java.util.List;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * Why a request is not valid.
 *
 * @param problems the reasons
 */
public record ProblemListDescriptor(List<String> problems) implements OperationResponseBody {

	/**
	 * Writes the response here: the error page would not contain the reason, and Spring
	 * Security may respond to it with 401.
	 */
	static WebEndpointResponse<OperationResponseBody> badRequest(InvalidEndpointRequestException ex) {
		return new WebEndpointResponse<>(new ProblemListDescriptor(List.of(String.valueOf(ex.getReason()))),
				WebEndpointResponse.STATUS_BAD_REQUEST);
	}

}
