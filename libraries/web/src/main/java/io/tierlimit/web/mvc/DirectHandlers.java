package io.tierlimit.web.mvc;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import io.tierlimit.spi.Endpoint;
import io.tierlimit.web.Handler;
import io.tierlimit.web.PathIndex;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.MappingMatch;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.NativeDetector;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.PathContainer;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.function.support.RouterFunctionMapping;
import org.springframework.web.servlet.handler.AbstractHandlerMapping;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;
import org.springframework.web.util.pattern.PathPattern;

/**
 * The handlers that depend on nothing but the method and the path of a request, as most
 * do. A look-up by Spring MVC costs several microseconds, so it is done once for each of
 * them.
 * <p>
 * An entry is one path pattern of one handler method. A request has the handler of an
 * entry if the path is plain and the entry is the only one of its mapping that matches
 * method and path, or the only one whose pattern is the path itself, which Spring MVC
 * prefers, too. Everything else is looked up: if the servlet has a path of its own; if
 * the entry has other conditions, such as a header; if a mapping before it may match, or
 * is of another kind; if the bean is not a singleton; if the request has another origin,
 * since a handler includes its CORS configuration. A mapping that is registered later is
 * found when the request reaches another method than expected, which has the request
 * looked up again; another pattern of the same method is not found.
 */
final class DirectHandlers {

	/** The methods by which a mapping finds its handlers. */
	private static final Set<String> DECIDING = Set.of("getHandlerInternal", "getMappingComparator",
			"getMatchingMapping", "handleMatch", "handleNoMatch", "initLookupPath", "lookupHandlerMethod");

	/** With more patterns that may match a path, Spring MVC compares all of them, too. */
	private static final int MAX_CANDIDATES = 16;

	private final PathIndex<Entry> index;

	/**
	 * Collects the handlers.
	 * @param mappings all mappings, in the order of the dispatcher servlet
	 * @param beans contains the beans of the handlers
	 * @param ignoringCase whether any mapping ignores case
	 */
	DirectHandlers(List<HandlerMapping> mappings, BeanFactory beans, boolean ignoringCase) {
		List<PathIndex.Entry<Entry>> entries = new ArrayList<>();
		for (HandlerMapping mapping : mappings) {
			if (mapping instanceof RouterFunctionMapping functions && functions.getRouterFunction() == null
					&& isPlain(functions)) {
				continue;
			}
			if (!(mapping instanceof RequestMappingInfoHandlerMapping infos) || !isStandard(infos) || !isPlain(infos)) {
				break;
			}
			infos.getHandlerMethods().forEach((info, handler) -> {
				for (PathPattern pattern : Objects.requireNonNull(info.getPathPatternsCondition()).getPatterns()) {
					Entry entry = new Entry(infos, info, handler, pattern, HandlerBeans.isShared(handler, beans));
					entries.add(new PathIndex.Entry<>(entry, Set.of(), Set.of(pattern.getPatternString())));
				}
			});
		}
		this.index = new PathIndex<>(entries, ignoringCase);
	}

	/** Whether a mapping has neither a handler for all paths nor versions. */
	private static boolean isPlain(AbstractHandlerMapping mapping) {
		return mapping.getDefaultHandler() == null && !ApiVersions.decideIn(mapping);
	}

	/**
	 * Whether a mapping finds its handlers by the patterns of its infos, as those of
	 * Spring do. A subclass may read the path in its own way.
	 */
	static boolean isStandard(RequestMappingInfoHandlerMapping mapping) {
		Class<?> type = mapping.getClass();
		while (!type.getName().startsWith("org.springframework.web.servlet.")) {
			if (NativeDetector.inNativeImage()) {
				// It may lack the methods.
				return false;
			}
			for (Method method : type.getDeclaredMethods()) {
				if (DECIDING.contains(method.getName())) {
					return false;
				}
			}
			type = type.getSuperclass();
		}
		return mapping.getPatternParser() != null;
	}

	/**
	 * Finds the entry of a request that has not reached a handler.
	 * @return {@code null} if the request must be looked up
	 */
	@Nullable Entry find(HttpServletRequest request) {
		List<Entry> candidates = this.index.find(request);
		if (candidates == null || candidates.isEmpty() || candidates.size() > MAX_CANDIDATES
				|| request.getHeader(HttpHeaders.ORIGIN) != null
				|| request.getHttpServletMapping().getMappingMatch() == MappingMatch.PATH) {
			return null;
		}
		String path = request.getServletPath();
		PathContainer parsed = null;
		Entry found = null;
		for (int i = 0; i < candidates.size(); i++) {
			Entry candidate = candidates.get(i);
			if (candidate.mapping != candidates.get(0).mapping) {
				break;
			}
			if (!candidate.serves(request.getMethod())) {
				continue;
			}
			boolean same = candidate.isFor(path);
			if (!same && parsed == null) {
				parsed = PathContainer.parsePath(path);
			}
			if (same || candidate.pattern.matches(Objects.requireNonNull(parsed))) {
				if (found != null && found.isFor(path) == same) {
					return null;
				}
				found = (found == null || same) ? candidate : found;
			}
		}
		return (found != null && found.direct) ? found : null;
	}

	/**
	 * A path pattern of a handler method.
	 */
	static final class Entry {

		private final HandlerMapping mapping;

		private final Method method;

		private final PathPattern pattern;

		private final Set<RequestMethod> methods;

		/** Whether nothing but method and path decides about the handler. */
		private final boolean direct;

		private volatile @Nullable Handler handler;

		private Entry(HandlerMapping mapping, RequestMappingInfo info, HandlerMethod handler, PathPattern pattern,
				boolean shared) {
			this.mapping = mapping;
			this.method = handler.getMethod();
			this.pattern = pattern;
			this.methods = info.getMethodsCondition().getMethods();
			this.direct = shared && info.getParamsCondition().isEmpty() && info.getHeadersCondition().isEmpty()
					&& info.getConsumesCondition().isEmpty() && info.getProducesCondition().isEmpty()
					&& !ApiVersions.decideAbout(info) && info.getCustomCondition() == null;
		}

		/** Spring MVC answers OPTIONS itself unless a mapping lists it. */
		private boolean serves(String requested) {
			if (this.methods.isEmpty()) {
				return !requested.equals("OPTIONS");
			}
			for (RequestMethod known : this.methods) {
				if (known.name().equals(requested) || (known == RequestMethod.GET && requested.equals("HEAD"))) {
					return true;
				}
			}
			return false;
		}

		private boolean isFor(String path) {
			return this.pattern.getPatternString().equals(path);
		}

		/** The handler that the look-up has found; {@code null} before the first one. */
		@Nullable Handler handler() {
			return this.handler;
		}

		/** Stores the result of a look-up, if this is the entry that it has found. */
		void confirm(Handler found) {
			Endpoint endpoint = found.endpoint();
			if (this.method.equals(found.method()) && endpoint != null
					&& endpoint.pattern().equals(this.pattern.getPatternString())) {
				this.handler = found;
			}
		}

	}

}
