package io.tierlimit.web.mvc;

import org.springframework.util.ClassUtils;
import org.springframework.web.servlet.handler.AbstractHandlerMapping;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;

/**
 * Whether handlers depend on the API version that a request specifies. Spring Framework 6
 * (Spring Boot 3.5) does not support API versions.
 */
final class ApiVersions {

	private static final boolean SUPPORTED = ClassUtils.isPresent("org.springframework.web.accept.ApiVersionStrategy",
			ApiVersions.class.getClassLoader());

	private ApiVersions() {
	}

	static boolean decideIn(AbstractHandlerMapping mapping) {
		return SUPPORTED && mapping.getApiVersionStrategy() != null;
	}

	static boolean decideAbout(RequestMappingInfo info) {
		return SUPPORTED && !info.getVersionCondition().isEmpty();
	}

}
