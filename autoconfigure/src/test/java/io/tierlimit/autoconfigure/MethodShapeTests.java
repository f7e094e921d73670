package io.tierlimit.autoconfigure;

import java.lang.invoke.MethodHandles;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

import io.tierlimit.RateLimitExceededException;
import io.tierlimit.RateLimited;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.InvalidRulesException;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import kotlin.coroutines.Continuation;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.annotation.AnnotationDescription;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import net.bytebuddy.implementation.FixedValue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The annotation on methods of every shape that compilers generate.
 */
class MethodShapeTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(TierlimitAutoConfiguration.class, TierlimitMethodAutoConfiguration.class))
		.withPropertyValues("tierlimit.keys.hash=none");

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void genericInterfaceWithTheAnnotationReadsTheArgumentOfItsImplementation(boolean ofClass) {
		with(OrderShelf.class, ofClass, (context) -> {
			Shelf<Order> shelf = shelf(context);
			shelf.put(new Order("a", 2));
			shelf.put(new Order("b", 1));
			shelf.put(new Order("a", 3));
			assertThat(consumed(context, "Shelf.put", "a")).isEqualTo(5);
			assertThat(consumed(context, "Shelf.put", "b")).isEqualTo(1);
		});
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void annotationOfTheImplementationIsChargedOnceThroughItsBridge(boolean ofClass) {
		with(AnnotatedOrderShelf.class, ofClass, (context) -> {
			shelf(context).put(new Order("a", 2));
			assertThat(consumed(context, "AnnotatedOrderShelf.put", "a")).isEqualTo(2);
			assertThat(consumed(context, "Shelf.put", "a")).as("a nearer annotation replaces a farther one").isZero();
		});
		with(AnnotatedOrderShelf.class, true, (context) -> {
			context.getBean(AnnotatedOrderShelf.class).put(new Order("a", 2));
			assertThat(consumed(context, "AnnotatedOrderShelf.put", "a")).isEqualTo(2);
		});
	}

	@Test
	void genericSuperclassReadsTheArgumentOfItsSubclass() {
		with(OrderQueue.class, true, (context) -> {
			context.getBean(OrderQueue.class).offer(new Order("a", 2));
			context.getBean(OrderQueue.class).inherited(new Order("b", 3));
			assertThat(consumed(context, "Queue.offer", "a")).isEqualTo(1);
			assertThat(consumed(context, "Queue.inherited", "b")).isEqualTo(1);
		});
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void defaultMethodOfAnInterfaceIsLimited(boolean ofClass) {
		with(OrderShelf.class, ofClass, (context) -> {
			shelf(context).clear("a");
			assertThat(consumed(context, "Shelf.clear", "a")).isEqualTo(1);
		});
	}

	@Test
	void argumentsOfEveryShapeAreRead() {
		with(Shapes.class, true, (context) -> {
			Shapes shapes = context.getBean(Shapes.class);
			shapes.several("a", "b", "c");
			shapes.several("a");
			assertThat(consumed(context, "Shapes.several", "a")).isEqualTo(4);
			shapes.optional(Optional.of(3));
			shapes.optional(Optional.empty());
			assertThat(consumed(context, "Shapes.optional", "3")).isEqualTo(1);
			assertThat(consumed(context, "Shapes.optional", "10")).isEqualTo(1);
			shapes.component(new Order("a", 2));
			shapes.property(new Order("a", 2));
			assertThat(consumed(context, "Shapes.component", "a")).isEqualTo(2);
			assertThat(consumed(context, "Shapes.property", "a")).isEqualTo(2);
			shapes.list(List.of(new Order("a", 2), new Order("b", 2), new Order("c", 2)));
			assertThat(consumed(context, "Shapes.list", "")).isEqualTo(3);
			shapes.visibleInItsPackage();
			shapes.visibleToSubclasses();
			assertThat(consumed(context, "Shapes.visibleInItsPackage", "")).isEqualTo(1);
			assertThat(consumed(context, "Shapes.visibleToSubclasses", "")).isEqualTo(1);
		});
	}

	@Test
	void severalRulesOnOneElementNeedNoName() {
		with(Several.class, true, (context) -> {
			Several several = context.getBean(Several.class);
			several.twice();
			assertThat(consumed(context, "Several.twice", "")).isEqualTo(1);
			assertThat(consumed(context, "Several.twice#2", "")).isEqualTo(1);
			assertThat(consumed(context, "named", "")).isEqualTo(1);
			assertThat(consumed(context, "Several", "")).isEqualTo(1);
			assertThat(consumed(context, "Several#2", "")).isEqualTo(1);
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(several::twice)
				.withMessageStartingWith("Over the limit of 'Several.twice#2'");
		});
	}

	@Test
	void rulesWithNamesAreNotCountedAmongThoseWithout() {
		with(NamedFirst.class, true, (context) -> {
			context.getBean(NamedFirst.class).call();
			assertThat(consumed(context, "first", "")).isEqualTo(1);
			assertThat(consumed(context, "NamedFirst.call", "")).isEqualTo(1);
			assertThat(consumed(context, "NamedFirst.call#2", "")).isEqualTo(1);
		});
	}

	@Test
	void missingNamesOfParametersAreReported() {
		Class<?> unnamed = new ByteBuddy().subclass(Object.class)
			.name(getClass().getName() + "$Unnamed")
			.defineMethod("find", String.class, Visibility.PUBLIC)
			.withParameters(String.class)
			.intercept(FixedValue.value("found"))
			.annotateMethod(AnnotationDescription.Builder.ofType(RateLimited.class)
				.define("rate", "5/s")
				.define("key", "#id")
				.build())
			.make()
			.load(getClass().getClassLoader(), ClassLoadingStrategy.UsingLookup.of(MethodHandles.lookup()))
			.getLoaded();
		this.runner.withUserConfiguration(unnamed)
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(InvalidRulesException.class)
				.hasMessageContaining("'#id' is not supported in an expression, because the known arguments are [a0]: ")
				.hasMessageContaining("compile with -parameters"));
	}

	/** The method that Kotlin's compiler generates for {@code suspend fun}. */
	@Test
	void continuationOfASuspendingFunctionIsNotAnArgument() {
		with(Suspending.class, true, (context) -> {
			context.getBean(Suspending.class).find("a", null);
			assertThat(consumed(context, "Suspending.find", "a")).isEqualTo(1);
		});
		this.runner.withUserConfiguration(SuspendingWrong.class)
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContaining(
						"'#a1' is not supported in an expression, because the known arguments are [id, a0]: "));
	}

	private void with(Class<?> bean, boolean ofClass, Consumer<AssertableApplicationContext> test) {
		this.runner.withUserConfiguration(bean)
			.withPropertyValues("spring.aop.proxy-target-class=" + ofClass)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				test.accept(context);
			});
	}

	@SuppressWarnings("unchecked")
	private static Shelf<Order> shelf(AssertableApplicationContext context) {
		return context.getBean(Shelf.class);
	}

	/** The permits that have been consumed from a bucket that refills slowly. */
	private static long consumed(AssertableApplicationContext context, String rule, String key) {
		Charge charge = new Charge(new BucketKey(rule, key), new TokenBucket(Rate.parse("100/d"), 100), 0);
		return 100 - context.getBean(BucketStore.class).peek(List.of(charge)).decisions().get(0).remaining();
	}

	record Order(String customer, int quantity) {

	}

	interface Shelf<T> {

		@RateLimited(rate = "100/d", key = "#thing.customer", cost = "#thing.quantity()")
		void put(T thing);

		@RateLimited(rate = "100/d", key = "#customer")
		default void clear(String customer) {
		}

	}

	static class OrderShelf implements Shelf<Order> {

		@Override
		public void put(Order order) {
		}

	}

	static class AnnotatedOrderShelf implements Shelf<Order> {

		@RateLimited(rate = "100/d", key = "#order.customer()", cost = "#order.quantity")
		@Override
		public void put(Order order) {
		}

	}

	abstract static class Queue<T> {

		@RateLimited(rate = "100/d", key = "#thing.customer")
		public void offer(T thing) {
		}

		@RateLimited(rate = "100/d", key = "#thing.customer")
		public void inherited(T thing) {
		}

	}

	static class OrderQueue extends Queue<Order> {

		@Override
		public void offer(Order order) {
		}

	}

	static class Shapes {

		@RateLimited(rate = "100/d", key = "#to[0]", cost = "#to.length")
		public void several(String... to) {
		}

		@RateLimited(rate = "100/d", key = "#limit.orElse(10)")
		public void optional(Optional<Integer> limit) {
		}

		@RateLimited(rate = "100/d", key = "#order.customer()", cost = "#order.quantity()")
		public void component(Order order) {
		}

		@RateLimited(rate = "100/d", key = "#order.customer", cost = "#order.quantity")
		public void property(Order order) {
		}

		@RateLimited(rate = "100/d", cost = "#orders.size()")
		public void list(List<? extends Order> orders) {
		}

		@RateLimited(rate = "100/d")
		void visibleInItsPackage() {
		}

		@RateLimited(rate = "100/d")
		protected void visibleToSubclasses() {
		}

	}

	@RateLimited(rate = "100/d")
	@RateLimited(rate = "200/d", burst = "100")
	static class Several {

		@RateLimited(rate = "100/d")
		@RateLimited(rate = "1/d")
		@RateLimited(rate = "100/d", name = "named")
		public void twice() {
		}

	}

	static class NamedFirst {

		@RateLimited(rate = "100/d", name = "first")
		@RateLimited(rate = "100/d")
		@RateLimited(rate = "100/d")
		public void call() {
		}

	}

	static class Suspending {

		@RateLimited(rate = "100/d", key = "#id")
		public @Nullable Object find(String id, @Nullable Continuation<? super String> completion) {
			return id;
		}

	}

	static class SuspendingWrong {

		@RateLimited(rate = "100/d", key = "#a1")
		public @Nullable Object find(String id, @Nullable Continuation<? super String> completion) {
			return id;
		}

	}

}
