package io.tierlimit.method;

import java.util.function.Supplier;

import io.tierlimit.RateLimited;
import io.tierlimit.evaluation.CurrentRequest;

import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.DefaultPointcutAdvisor;

/**
 * Applies {@link RateLimited} to every annotated bean, before all other advice such as
 * transactions, caches and retries. AspectJ or another mechanism that creates proxies is
 * not required.
 */
public final class RateLimitedBeanPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates a post-processor.
	 * @param scanner finds the annotations of beans
	 * @param ofClasses whether the proxy of a bean with an interface also extends the
	 * class of the bean
	 * @param request supplies the object that evaluates calls, when a method is called
	 */
	public RateLimitedBeanPostProcessor(RateLimitedBeanScanner scanner, boolean ofClasses,
			Supplier<CurrentRequest> request) {
		setProxyTargetClass(ofClasses);
		setBeforeExistingAdvisors(true);
		this.advisor = new DefaultPointcutAdvisor(new RateLimitedPointcut(scanner),
				new RateLimitedInterceptor(request));
	}

}
