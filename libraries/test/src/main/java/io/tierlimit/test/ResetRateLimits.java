package io.tierlimit.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Resets all buckets of all rules before each test, so that a test starts with full
 * buckets although it shares its application context, or a Redis server, with other
 * tests. The reset precedes methods with {@code @BeforeEach}. On a method, it precedes
 * that test.
 * <p>
 * In Redis, it resets the buckets under the application's
 * {@code tierlimit.redis.key-prefix}, whichever application charged them. A test fails if
 * its store cannot be reached. If Tierlimit is disabled, or not part of the application
 * context, nothing is reset.
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
public @interface ResetRateLimits {

}
