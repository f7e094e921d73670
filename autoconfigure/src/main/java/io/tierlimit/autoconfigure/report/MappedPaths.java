package io.tierlimit.autoconfigure.report;

import java.util.List;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;

/**
 * The patterns of the handlers that Spring MVC maps, without the path of its servlet.
 */
final class MappedPaths {

	private MappedPaths() {
	}

	static List<String> find(ListableBeanFactory beans) {
		return beans.getBeansOfType(RequestMappingInfoHandlerMapping.class, false, false)
			.values()
			.stream()
			.flatMap((mapping) -> mapping.getHandlerMethods().keySet().stream())
			.flatMap((info) -> info.getPatternValues().stream())
			.toList();
	}

}
