package io.tierlimit.method;

import java.util.function.Supplier;

import io.tierlimit.RateLimited;
import io.tierlimit.evaluation.CurrentRequest;
import io.tierlimit.evaluation.MethodRulesLookup;

import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.DefaultPointcutAdvisor;

/**
 * Puts {@link RateLimited} into effect on every bean that it stands on, before whatever
 * else is done around the bean's methods: transactions, caches, retries. Needs neither
 * AspectJ nor any other proxying.
 */
public final class RateLimitedBeanPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates a post-processor.
	 * @param scanner has the annotations of beans
	 * @param ofClasses whether beans with an interface too get a proxy of their class
	 * @param methods finds a method's rules; asked with the first call
	 * @param request evaluates calls; looked up for the first one
	 */
	public RateLimitedBeanPostProcessor(RateLimitedBeanScanner scanner, boolean ofClasses,
			Supplier<MethodRulesLookup> methods, Supplier<CurrentRequest> request) {
		setProxyTargetClass(ofClasses);
		setBeforeExistingAdvisors(true);
		this.advisor = new DefaultPointcutAdvisor(new RateLimitedPointcut(scanner),
				new RateLimitedInterceptor(methods, request));
	}

}
