package io.tierlimit.web.mvc;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.tierlimit.spi.Endpoint;
import io.tierlimit.spi.InvalidRequestValueException;
import io.tierlimit.web.Handler;
import io.tierlimit.web.HandlerLookup;
import io.tierlimit.web.PathIndex;
import jakarta.servlet.http.HttpServletRequest;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.http.server.PathContainer;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerExecutionChain;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.function.support.RouterFunctionMapping;
import org.springframework.web.servlet.handler.AbstractUrlHandlerMapping;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;
import org.springframework.web.servlet.resource.DefaultServletHttpRequestHandler;
import org.springframework.web.servlet.resource.ResourceHttpRequestHandler;
import org.springframework.web.util.ServletRequestPathUtils;
import org.springframework.web.util.pattern.PathPattern;

/**
 * Calls the handler mappings in the order of the dispatcher servlet. Static files have no
 * endpoint. A look-up that fails (405, 406, 415) finds no handler; if a mapping of the
 * management endpoints fails, it finds a handler without a method. A look-up that depends
 * on the body finds no handler. If the parameters cannot be read, the request is
 * rejected.
 */
public final class HandlerMappingLookup implements HandlerLookup {

	private static final Log logger = LogFactory.getLog(HandlerMappingLookup.class);

	private final ListableBeanFactory beans;

	private final SingletonSupplier<List<HandlerMapping>> mappings;

	private final SingletonSupplier<DirectHandlers> direct;

	private final MappingMethods methods = new MappingMethods();

	private final TargetServlets servlets = new TargetServlets();

	/**
	 * Creates a look-up.
	 * @param beans contains the handler mappings, which are looked up at the first
	 * request
	 */
	public HandlerMappingLookup(ListableBeanFactory beans) {
		this.beans = beans;
		this.mappings = SingletonSupplier.of(() -> HandlerBeans.inOrder(beans, HandlerMapping.class));
		this.direct = SingletonSupplier.of(() -> new DirectHandlers(this.mappings.obtain(), beans, ignoresCase()));
	}

	@Override
	public @Nullable Handler find(HttpServletRequest request, boolean arrived) {
		if (!this.servlets.isServedByMvc(request)) {
			return null;
		}
		DirectHandlers.Entry entry = arrived ? null : this.direct.obtain().find(request);
		Handler known = (entry != null) ? entry.handler() : null;
		if (known != null) {
			return known;
		}
		Handler found = lookUp(request, arrived);
		if (entry != null && found != null) {
			entry.confirm(found);
		}
		return found;
	}

	private @Nullable Handler lookUp(HttpServletRequest request, boolean arrived) {
		DetachedRequest detached = new DetachedRequest(request, arrived);
		// A request-scoped handler is created again when its request is served.
		RequestAttributes bound = RequestContextHolder.getRequestAttributes();
		ServletRequestAttributes attributes = new ServletRequestAttributes(detached);
		RequestContextHolder.setRequestAttributes(attributes);
		HandlerMapping asked = null;
		try {
			ServletRequestPathUtils.parseAndCache(detached);
			for (HandlerMapping mapping : this.mappings.obtain()) {
				asked = mapping;
				HandlerExecutionChain chain = mapping.getHandler(detached);
				if (chain != null) {
					return handler(mapping, chain, detached);
				}
			}
		}
		catch (InvalidRequestValueException ex) {
			throw ex;
		}
		catch (Exception ex) {
			logger.debug("No handler is mapped to the request", ex);
			if (asked != null && isOfManagement(asked)) {
				return new Handler(null, null, null, asked, true, null);
			}
		}
		finally {
			RequestContextHolder.setRequestAttributes(bound);
			attributes.requestCompleted();
		}
		return null;
	}

	@Override
	public boolean ignoresCase() {
		return MappingCase.isIgnored(this.mappings.obtain());
	}

	/**
	 * Collects the paths of all methods that are mapped now. If there is a mapping of
	 * another kind, or a mapping that reads the path in its own way, its methods may
	 * serve any path. Mappings whose handlers are never methods are skipped.
	 */
	@Override
	public Predicate<HttpServletRequest> requestsFor(BiPredicate<Method, Class<?>> methods) {
		List<PathIndex.Entry<Method>> found = new ArrayList<>();
		for (HandlerMapping mapping : this.mappings.obtain()) {
			if (mapping instanceof RequestMappingInfoHandlerMapping infos && DirectHandlers.isStandard(infos)) {
				infos.getHandlerMethods().forEach((info, handler) -> {
					if (isOneOf(methods, handler)) {
						found.add(new PathIndex.Entry<>(handler.getMethod(), methods(info), info.getPatternValues()));
					}
				});
			}
			else if (!(mapping instanceof AbstractUrlHandlerMapping || mapping instanceof RouterFunctionMapping)) {
				return (request) -> true;
			}
		}
		PathIndex<Method> index = new PathIndex<>(found, ignoresCase());
		return index::mayMatch;
	}

	private boolean isOneOf(BiPredicate<Method, Class<?>> methods, HandlerMethod handler) {
		try {
			Class<?> type = HandlerBeans.type(handler, this.beans);
			return type == null || Proxy.isProxyClass(type) || methods.test(handler.getMethod(), type);
		}
		catch (RuntimeException ex) {
			// The look-up of a request for this handler reports the failure.
			return true;
		}
	}

	private static Set<String> methods(RequestMappingInfo info) {
		return info.getMethodsCondition().getMethods().stream().map(RequestMethod::name).collect(Collectors.toSet());
	}

	private Handler handler(HandlerMapping mapping, HandlerExecutionChain chain, HttpServletRequest request) {
		Object handler = chain.getHandler();
		Endpoint endpoint = endpoint(mapping, handler, request);
		boolean management = isOfManagement(mapping);
		CorsConfiguration cors = cors(chain, request);
		return (handler instanceof HandlerMethod method) ? new Handler(endpoint, method.getMethod(),
				AopUtils.getTargetClass(method.getBean()), method, management, cors)
				: new Handler(endpoint, null, null, handler, management, cors);
	}

	/**
	 * Recognizes Spring Boot's mappings by name, since their packages differ by version.
	 */
	private static boolean isOfManagement(HandlerMapping mapping) {
		String name = mapping.getClass().getName();
		return name.startsWith("org.springframework.boot.") && name.contains(".actuate.");
	}

	/** The interceptor of the chain has the configuration of both mapping and handler. */
	private static @Nullable CorsConfiguration cors(HandlerExecutionChain chain, HttpServletRequest request) {
		for (HandlerInterceptor interceptor : chain.getInterceptorList()) {
			if (interceptor instanceof CorsConfigurationSource source) {
				return source.getCorsConfiguration(request);
			}
		}
		return null;
	}

	private @Nullable Endpoint endpoint(HandlerMapping mapping, Object handler, HttpServletRequest request) {
		String pattern = pattern(mapping, request);
		if (pattern == null || handler instanceof ResourceHttpRequestHandler
				|| handler instanceof DefaultServletHttpRequestHandler) {
			return null;
		}
		String methods = (handler instanceof HandlerMethod method
				&& mapping instanceof RequestMappingInfoHandlerMapping infos) ? this.methods.of(infos, method, pattern)
						: MappingMethods.ANY;
		return new Endpoint(methods, pattern);
	}

	private static @Nullable String pattern(HandlerMapping mapping, HttpServletRequest request) {
		Object best = request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
		if (best != null || !(mapping instanceof AbstractUrlHandlerMapping urls)) {
			return (best != null) ? best.toString() : null;
		}
		// These mappings store their pattern only when the handler is called.
		PathContainer path = ServletRequestPathUtils.getParsedRequestPath(request).pathWithinApplication();
		return urls.getPathPatternHandlerMap()
			.keySet()
			.stream()
			.filter((pattern) -> pattern.matches(path))
			.min(PathPattern.SPECIFICITY_COMPARATOR)
			.map(PathPattern::getPatternString)
			.orElse(null);
	}

}
