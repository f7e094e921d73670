package io.tierlimit.web.mvc;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletRegistration;
import jakarta.servlet.http.HttpServletRequest;

import org.springframework.util.ClassUtils;
import org.springframework.web.servlet.DispatcherServlet;

/**
 * Determines whether Spring MVC serves a request. A request for another servlet does not
 * have a handler, even if a handler mapping matches the rest of its path.
 */
final class TargetServlets {

	/** Whether a servlet is a dispatcher servlet, by the name of the servlet. */
	private final Map<String, Boolean> dispatchers = new ConcurrentHashMap<>();

	boolean isServedByMvc(HttpServletRequest request) {
		String name = request.getHttpServletMapping().getServletName();
		if (name == null || name.isEmpty()) {
			return true;
		}
		Boolean known = this.dispatchers.get(name);
		return (known != null) ? known
				: this.dispatchers.computeIfAbsent(name, (servlet) -> isDispatcher(request, servlet));
	}

	private static boolean isDispatcher(HttpServletRequest request, String servlet) {
		ServletContext context = request.getServletContext();
		ServletRegistration registration = context.getServletRegistration(servlet);
		String className = (registration != null) ? registration.getClassName() : null;
		if (className == null) {
			return true;
		}
		try {
			return DispatcherServlet.class.isAssignableFrom(ClassUtils.forName(className, context.getClassLoader()));
		}
		catch (ClassNotFoundException | LinkageError ex) {
			return false; // a servlet that only another class loader finds
		}
	}

}
