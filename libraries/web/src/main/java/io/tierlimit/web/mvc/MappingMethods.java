package io.tierlimit.web.mvc;

import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;

/**
 * The HTTP methods that the application has declared for a mapping. The method of a
 * request is not used, since the client chooses it. Cached by handler method and pattern.
 */
final class MappingMethods {

	/** The methods of a mapping that lists no methods. */
	static final String ANY = "*";

	private final Map<Mapping, String> known = new ConcurrentHashMap<>();

	String of(RequestMappingInfoHandlerMapping mapping, HandlerMethod handler, String pattern) {
		HandlerMethod registered = handler.getResolvedFromHandlerMethod();
		Mapping key = new Mapping((registered != null) ? registered : handler, pattern);
		String methods = this.known.get(key);
		return (methods != null) ? methods : this.known.computeIfAbsent(key, (absent) -> find(mapping, absent));
	}

	private static String find(RequestMappingInfoHandlerMapping mapping, Mapping sought) {
		SortedSet<String> methods = new TreeSet<>();
		for (Map.Entry<RequestMappingInfo, HandlerMethod> entry : mapping.getHandlerMethods().entrySet()) {
			if (entry.getValue().equals(sought.handler())
					&& entry.getKey().getPatternValues().contains(sought.pattern())) {
				for (RequestMethod method : entry.getKey().getMethodsCondition().getMethods()) {
					methods.add(method.name());
				}
			}
		}
		return methods.isEmpty() ? ANY : String.join(",", methods);
	}

	private record Mapping(HandlerMethod handler, String pattern) {

	}

}
