package io.tierlimit.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Resets all buckets of all rules before each test, so that a test starts with full
 * buckets even if it shares its application context, or a Redis server, with other tests.
 * The reset precedes methods with {@code @BeforeEach}. If a single test method has the
 * annotation, the reset only precedes this test.
 * <p>
 * In Redis, the reset applies to the buckets under the application's
 * {@code tierlimit.redis.key-prefix}, even if another application has charged them. A
 * test fails if its store cannot be reached. If Tierlimit is disabled, or not part of the
 * application context, nothing is reset.
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
public @interface ResetRateLimits {

}
