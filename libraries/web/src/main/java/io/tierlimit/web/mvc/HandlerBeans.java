package io.tierlimit.web.mvc;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;
import org.springframework.web.method.HandlerMethod;

/**
 * Finds the beans of the dispatcher servlet, and the beans of handler methods. A mapping
 * registers a bean by its name, before it is created, with the type that its factory
 * method declares.
 */
final class HandlerBeans {

	private HandlerBeans() {
	}

	/** All beans of a type, as the dispatcher servlet finds and orders them. */
	static <T> List<T> inOrder(ListableBeanFactory beans, Class<T> type) {
		List<T> found = new ArrayList<>(
				BeanFactoryUtils.beansOfTypeIncludingAncestors(beans, type, true, false).values());
		AnnotationAwareOrderComparator.sort(found);
		return found;
	}

	/**
	 * The class of a handler's bean without proxies.
	 * @return {@code null} if the bean may have a subclass of its declared type
	 */
	static @Nullable Class<?> type(HandlerMethod handler, BeanFactory beans) {
		if (!(handler.getBean() instanceof String name)) {
			return AopUtils.getTargetClass(handler.getBean());
		}
		if (!(beans instanceof ConfigurableListableBeanFactory factory) || !factory.containsBeanDefinition(name)) {
			return null;
		}
		if (factory.isSingleton(name) && factory.containsSingleton(name)) {
			Object bean = Objects.requireNonNull(factory.getSingleton(name));
			return (bean instanceof FactoryBean) ? null : AopUtils.getTargetClass(bean);
		}
		Class<?> declared = handler.getBeanType();
		return (Modifier.isFinal(declared.getModifiers())
				|| isCreatedByConstructor(factory.getMergedBeanDefinition(name))) ? declared : null;
	}

	private static boolean isCreatedByConstructor(BeanDefinition definition) {
		return definition.getFactoryMethodName() == null && definition instanceof AbstractBeanDefinition known
				&& known.getInstanceSupplier() == null;
	}

	/** Whether every request for a handler gets the same bean. */
	static boolean isShared(HandlerMethod handler, BeanFactory beans) {
		return !(handler.getBean() instanceof String name) || (beans.containsBean(name) && beans.isSingleton(name));
	}

}
