package io.tierlimit.web.mvc;

import java.util.List;

import io.tierlimit.RateLimitExceededException;
import io.tierlimit.web.ExceptionHandlerDelegate;
import io.tierlimit.web.Handler;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * Calls the exception resolvers in the order of the dispatcher servlet. A view cannot be
 * rendered at this point, so a resolver that returns a view is skipped.
 */
public final class ExceptionResolverDelegate implements ExceptionHandlerDelegate {

	private final SingletonSupplier<List<HandlerExceptionResolver>> resolvers;

	/**
	 * Creates a delegate.
	 * @param beans contains the resolvers, which are looked up at the first rejection
	 */
	public ExceptionResolverDelegate(ListableBeanFactory beans) {
		this.resolvers = SingletonSupplier.of(() -> HandlerBeans.inOrder(beans, HandlerExceptionResolver.class));
	}

	@Override
	public boolean answer(RateLimitExceededException rejection, Handler handler, HttpServletRequest request,
			HttpServletResponse response) {
		for (HandlerExceptionResolver resolver : this.resolvers.obtain()) {
			ModelAndView answer = resolver.resolveException(request, response, handler.object(), rejection);
			if (answer != null && answer.isEmpty()) {
				return true;
			}
		}
		return false;
	}

}
