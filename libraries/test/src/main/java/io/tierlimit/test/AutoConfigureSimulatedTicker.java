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
 * Replaces the clock of the application by a {@link SimulatedTicker}, and stores buckets
 * in memory, where that clock counts ({@code tierlimit.store=memory}). The test injects
 * the {@code SimulatedTicker} and advances it. The clock is shared by all tests that
 * share an application context. It does not shorten the wait of a rule with
 * {@code max-wait}.
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
