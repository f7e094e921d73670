package io.tierlimit.limit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.AnnotationBasedArgumentsProvider;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.support.ParameterDeclarations;

/**
 * A test with random values. It runs once for each seed, and receives the seed.
 * {@code -Dtests.seeds=5} limits the number of seeds of all such tests.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedTest(name = "seed {0}")
@ArgumentsSource(RandomizedTest.Seeds.class)
@interface RandomizedTest {

	/** The number of seeds. */
	int value();

	/** The seeds of a test, from 1. */
	final class Seeds extends AnnotationBasedArgumentsProvider<RandomizedTest> {

		@Override
		protected Stream<? extends Arguments> provideArguments(ParameterDeclarations parameters,
				ExtensionContext context, RandomizedTest test) {
			return IntStream.rangeClosed(1, Math.min(test.value(), Integer.getInteger("tests.seeds", test.value())))
				.mapToObj(Arguments::of);
		}

	}

}
