package io.tierlimit.autoconfigure;

import java.lang.invoke.MethodHandles;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import io.tierlimit.RateLimited;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.annotation.AnnotationDescription;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import net.bytebuddy.implementation.StubMethod;

/**
 * Classes of beans with annotated methods. A test describes each method by a string, such
 * as {@code find(id): rate=5/s; key=#id}.
 */
public final class AnnotatedBean {

	private static final Map<String, Class<?>> CLASSES = new ConcurrentHashMap<>();

	private AnnotatedBean() {
	}

	/**
	 * Returns a class. All tests of a JVM share the names of classes.
	 * @param name the simple name of the class
	 * @param methods the name of each method, the names of its parameters, which are
	 * strings, and the attributes of its annotation
	 * @return the class
	 */
	public static Class<?> named(String name, String... methods) {
		return CLASSES.computeIfAbsent(name, (key) -> define(key, methods));
	}

	private static Class<?> define(String name, String... methods) {
		DynamicType.Builder<?> builder = new ByteBuddy().subclass(Object.class)
			.name(AnnotatedBean.class.getPackageName() + "." + name);
		for (String method : methods) {
			String[] parts = method.split(":\\s*", 2);
			builder = define(builder, parts[0].split("[(), ]+"), annotation(parts[1].split(";\\s*")));
		}
		return builder.make()
			.load(AnnotatedBean.class.getClassLoader(), ClassLoadingStrategy.UsingLookup.of(MethodHandles.lookup()))
			.getLoaded();
	}

	private static <T> DynamicType.Builder<T> define(DynamicType.Builder<T> builder, String[] names,
			AnnotationDescription annotation) {
		DynamicType.Builder.MethodDefinition.ParameterDefinition<T> method = builder.defineMethod(names[0], void.class,
				Visibility.PUBLIC);
		for (String parameter : List.of(names).subList(1, names.length)) {
			method = method.withParameter(String.class, parameter);
		}
		return method.intercept(StubMethod.INSTANCE).annotateMethod(annotation);
	}

	private static AnnotationDescription annotation(String... attributes) {
		AnnotationDescription.Builder annotation = AnnotationDescription.Builder.ofType(RateLimited.class);
		for (String name : new String[] { "scope", "properties" }) {
			String[] values = Stream.of(attributes)
				.filter((attribute) -> attribute.startsWith(name + "="))
				.map((attribute) -> attribute.substring(name.length() + 1))
				.toArray(String[]::new);
			annotation = (values.length == 0) ? annotation : annotation.defineArray(name, values);
		}
		for (String attribute : attributes) {
			if (!attribute.matches("(?:scope|properties)=.*")) {
				String[] parts = attribute.split("=", 2);
				annotation = annotation.define(parts[0], parts[1]);
			}
		}
		return annotation.build();
	}

}
