package io.tierlimit.web.mvc;

import java.util.Collection;
import java.util.function.BiPredicate;

import org.springframework.http.server.PathContainer;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.handler.AbstractHandlerMapping;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * Determines with an example whether any handler mapping ignores case.
 */
final class MappingCase {

	private MappingCase() {
	}

	static boolean isIgnored(Collection<HandlerMapping> mappings) {
		return mappings.stream()
			.anyMatch((mapping) -> mapping instanceof AbstractHandlerMapping known && matcher(known).test("/a", "/A"));
	}

	@SuppressWarnings("removal") // still in use where an application has set a matcher
	private static BiPredicate<String, String> matcher(AbstractHandlerMapping mapping) {
		PathPatternParser parser = mapping.getPatternParser();
		if (parser == null) {
			return mapping.getPathMatcher()::match;
		}
		return (pattern, path) -> parser.parse(pattern).matches(PathContainer.parsePath(path));
	}

}
