package io.tierlimit.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;

/**
 * Replaces the clock of the application with a {@link SimulatedTicker}, and stores
 * buckets in memory ({@code tierlimit.store=memory}), since Redis has its own clock. The
 * test injects the {@code SimulatedTicker} and advances it. All tests that share an
 * application context share the clock. Waits of a rule with {@code max-wait} take real
 * time.
 *
 * @see ResetRateLimits
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@Import(SimulatedTickerConfiguration.class)
@TestPropertySource(properties = "tierlimit.store=memory")
public @interface AutoConfigureSimulatedTicker {

}
