package io.tierlimit.replay;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

import io.tierlimit.spi.Endpoint;
import io.tierlimit.web.Handler;
import io.tierlimit.web.HandlerLookup;
import io.tierlimit.web.PathPatterns;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.PathContainer;
import org.springframework.http.server.RequestPath;
import org.springframework.web.util.pattern.PathPattern;

/**
 * The mappings of the application. If several mappings match, the most specific pattern
 * serves a request, as in Spring MVC. A request below the path of the management
 * endpoints is a request for an endpoint, unless its status shows that no endpoint served
 * it.
 */
final class LoggedEndpoints implements HandlerLookup {

	private static final String ANY = "*";

	/**
	 * The statuses that show that no endpoint served a request: 404 (not found), and 429
	 * (rejected), since rules do not limit the endpoints.
	 */
	private static final Set<Integer> NOT_SERVED = Set.of(404, 429);

	private final List<Mapping> mappings = new ArrayList<>();

	private final Supplier<@Nullable Integer> status;

	/**
	 * Creates mappings.
	 * @param mappings the mappings, such as {@code GET /api/orders/{id}}
	 * @param status the status of the request that is replayed, or {@code null}
	 * @throws IllegalArgumentException if a mapping is not valid
	 */
	LoggedEndpoints(List<String> mappings, Supplier<@Nullable Integer> status) {
		this.status = status;
		mappings.forEach((text) -> this.mappings.add(Mapping.parse(text)));
		this.mappings.sort(Comparator.comparing(Mapping::pattern, PathPattern.SPECIFICITY_COMPARATOR)
			.thenComparing((mapping) -> mapping.methods().contains(ANY)));
	}

	@Override
	public Handler find(HttpServletRequest request, boolean arrived) {
		Integer logged = this.status.get();
		boolean management = logged == null || !NOT_SERVED.contains(logged);
		return new Handler(endpoint(request), null, null, this, management, null);
	}

	private @Nullable Endpoint endpoint(HttpServletRequest request) {
		if (this.mappings.isEmpty()) {
			return null;
		}
		PathContainer path = sent(request);
		for (Mapping mapping : this.mappings) {
			if (mapping.serves(request.getMethod()) && mapping.pattern().matches(path)) {
				return mapping.endpoint();
			}
		}
		return null;
	}

	/** The path as the client sent it, which Spring MVC matches. */
	private static PathContainer sent(HttpServletRequest request) {
		try {
			return RequestPath.parse(request.getRequestURI(), request.getContextPath()).pathWithinApplication();
		}
		catch (IllegalArgumentException ex) {
			return PathContainer.parsePath(request.getServletPath());
		}
	}

	/**
	 * A mapping.
	 *
	 * @param pattern its path pattern
	 * @param methods its methods
	 * @param endpoint its name
	 */
	private record Mapping(PathPattern pattern, Set<String> methods, Endpoint endpoint) {

		static Mapping parse(String text) {
			String[] parts = text.strip().split("\\s+", -1);
			if (parts.length != 2 || !parts[1].startsWith("/")) {
				throw new IllegalArgumentException(
						"An endpoint must have the form METHODS /path, such as GET /api/orders/{id} (was '" + text
								+ "')");
			}
			Set<String> methods = Set.copyOf(List.of(parts[0].split(",")));
			String sorted = String.join(",", methods.stream().sorted().toList());
			return new Mapping(PathPatterns.parse(parts[1]), methods, new Endpoint(sorted, parts[1]));
		}

		boolean serves(String method) {
			return this.methods.contains(ANY) || this.methods.contains(method)
					|| (method.equals("HEAD") && this.methods.contains("GET"));
		}

	}

}
