package io.tierlimit.method;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.Collection;

import io.tierlimit.RateLimited;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;

/**
 * Registers the hints that a native image requires for beans with {@link RateLimited}:
 * the methods of the beans, which are searched for annotations when a bean is created,
 * the annotation, and the members of arguments that expressions read.
 */
final class RateLimitedAotProcessor implements BeanRegistrationAotProcessor {

	private final BindingReflectionHintsRegistrar arguments = new BindingReflectionHintsRegistrar();

	@Override
	public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
		Class<?> type = bean.getBeanClass();
		Collection<RateLimitedOperation> uses = RateLimitedBeanScanner.usesOf(type);
		return uses.isEmpty() ? null : (generation, code) -> register(type, uses, generation.getRuntimeHints());
	}

	private void register(Class<?> type, Collection<RateLimitedOperation> uses, RuntimeHints hints) {
		hints.proxies().registerJdkProxy(RateLimited.class);
		for (Class<?> annotation : new Class<?>[] { RateLimited.class, RateLimited.List.class }) {
			hints.reflection().registerType(annotation, MemberCategory.INVOKE_PUBLIC_METHODS);
		}
		hints.reflection().registerType(type, MemberCategory.INVOKE_DECLARED_METHODS);
		for (RateLimitedOperation use : uses) {
			AnnotatedElement element = use.element();
			Class<?> declaring = (element instanceof Method method) ? method.getDeclaringClass() : (Class<?>) element;
			hints.reflection()
				.registerType(declaring, MemberCategory.INVOKE_DECLARED_METHODS, MemberCategory.INVOKE_PUBLIC_METHODS);
			if (element instanceof Method method && readsArguments(use.annotation())) {
				registerArguments(method, hints.reflection());
			}
		}
	}

	private static boolean readsArguments(RateLimited annotation) {
		return annotation.key().contains("#") || annotation.cost().contains("#");
	}

	/**
	 * Registers the properties of all types within the arguments, and the public methods
	 * of the arguments themselves.
	 */
	private void registerArguments(Method method, ReflectionHints hints) {
		this.arguments.registerReflectionHints(hints, method.getGenericParameterTypes());
		for (Class<?> argument : method.getParameterTypes()) {
			hints.registerType(argument, MemberCategory.INVOKE_PUBLIC_METHODS);
		}
	}

}
