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
 * The handlers that depend only on the method and the path of a request, as most handlers
 * do. A look-up by Spring MVC takes several microseconds, so it is done once for each of
 * these handlers.
 * <p>
 * An entry is one path pattern of one handler method. A request with a plain path has the
 * handler of an entry in two cases: the entry is the only entry of its mapping that
 * matches method and path, or it is the only entry whose pattern equals the path, which
 * Spring MVC also prefers. In all other cases, Spring MVC looks the handler up: if the
 * servlet has a path of its own; if the entry has other conditions, such as a header; if
 * an earlier mapping may match, or is of another kind; if the bean is not a singleton; if
 * the request has another origin, since a handler includes its CORS configuration. If a
 * mapping is registered later, a request may reach another method than expected, and is
 * then looked up again. A new pattern of the same method is not found.
 */
final class DirectHandlers {

	/** The methods by which a mapping finds its handlers. */
	private static final Set<String> DECIDING = Set.of("getHandlerInternal", "getMappingComparator",
			"getMatchingMapping", "handleMatch", "handleNoMatch", "initLookupPath", "lookupHandlerMethod");

	/** If more patterns may match a path, the handler is looked up. */
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

	/** Whether a mapping has neither a handler for all paths nor API versions. */
	private static boolean isPlain(AbstractHandlerMapping mapping) {
		return mapping.getDefaultHandler() == null && !ApiVersions.decideIn(mapping);
	}

	/**
	 * Whether a mapping finds its handlers by the patterns of its infos, as Spring's
	 * mappings do. A subclass may read the path in its own way.
	 */
	static boolean isStandard(RequestMappingInfoHandlerMapping mapping) {
		Class<?> type = mapping.getClass();
		while (!type.getName().startsWith("org.springframework.web.servlet.")) {
			if (NativeDetector.inNativeImage()) {
				// The class may not have the methods.
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

		/** Whether the handler depends only on method and path. */
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

		/**
		 * Whether the entry serves a method. Spring MVC responds to OPTIONS itself unless
		 * a mapping lists it.
		 */
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

		/**
		 * The handler that the look-up has found; {@code null} before the first look-up.
		 */
		@Nullable Handler handler() {
			return this.handler;
		}

		/** Stores the result of a look-up if the look-up has found this entry. */
		void confirm(Handler found) {
			Endpoint endpoint = found.endpoint();
			if (this.method.equals(found.method()) && endpoint != null
					&& endpoint.pattern().equals(this.pattern.getPatternString())) {
				this.handler = found;
			}
		}

	}

}
