package io.tierlimit.web.mvc;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.servlet.ServletRegistration;
import jakarta.servlet.http.HttpServletRequest;

import org.springframework.util.ClassUtils;
import org.springframework.web.servlet.DispatcherServlet;

/**
 * Determines whether Spring MVC serves a request. A request for another servlet does not
 * have a handler, even if a handler mapping matches the rest of its path.
 */
final class TargetServlets {

	private final Map<String, Boolean> dispatcherByClassName = new ConcurrentHashMap<>();

	boolean isServedByMvc(HttpServletRequest request) {
		String name = request.getHttpServletMapping().getServletName();
		ServletRegistration servlet = (name != null && !name.isEmpty())
				? request.getServletContext().getServletRegistration(name) : null;
		String className = (servlet != null) ? servlet.getClassName() : null;
		return className == null || this.dispatcherByClassName.computeIfAbsent(className, TargetServlets::isDispatcher);
	}

	private static boolean isDispatcher(String className) {
		ClassLoader loader = TargetServlets.class.getClassLoader();
		return ClassUtils.isPresent(className, loader)
				&& DispatcherServlet.class.isAssignableFrom(ClassUtils.resolveClassName(className, loader));
	}

}
