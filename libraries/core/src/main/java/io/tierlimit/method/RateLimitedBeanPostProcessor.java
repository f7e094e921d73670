package io.tierlimit.method;

import java.util.function.Supplier;

import io.tierlimit.RateLimited;
import io.tierlimit.evaluation.CurrentRequest;

import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.DefaultPointcutAdvisor;

/**
 * Applies {@link RateLimited} to every annotated bean, before all other advice such as
 * transactions, caches and retries. Requires neither AspectJ nor any other proxying.
 */
public final class RateLimitedBeanPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates a post-processor.
	 * @param scanner finds the annotations of beans
	 * @param ofClasses whether beans with an interface also get a proxy of their class
	 * @param request evaluates calls; looked up at the first call
	 */
	public RateLimitedBeanPostProcessor(RateLimitedBeanScanner scanner, boolean ofClasses,
			Supplier<CurrentRequest> request) {
		setProxyTargetClass(ofClasses);
		setBeforeExistingAdvisors(true);
		this.advisor = new DefaultPointcutAdvisor(new RateLimitedPointcut(scanner),
				new RateLimitedInterceptor(request));
	}

}
