package io.tierlimit.web.mvc;

import java.util.Collection;
import java.util.function.BiPredicate;

import io.tierlimit.web.PathSpelling;

import org.springframework.http.server.PathContainer;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.handler.AbstractHandlerMapping;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * Finds out by trying which spellings are the same path to any handler mapping.
 */
final class MappingSpelling {

	private MappingSpelling() {
	}

	static PathSpelling of(Collection<HandlerMapping> mappings) {
		return new PathSpelling(anyMatches(mappings, "/a", "/A"), anyMatches(mappings, "/a", "/a/"));
	}

	private static boolean anyMatches(Collection<HandlerMapping> mappings, String pattern, String path) {
		return mappings.stream()
			.anyMatch(
					(mapping) -> mapping instanceof AbstractHandlerMapping known && matcher(known).test(pattern, path));
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
