package io.tierlimit.sample;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.tierlimit.test.AutoConfigureSimulatedTicker;
import io.tierlimit.test.ResetRateLimits;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestConstructor;
import org.springframework.test.context.TestConstructor.AutowireMode;

/**
 * A test of the whole application on a real port, with full buckets and a clock that the
 * test advances. It does not wait for streams that a test has left open.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT, properties = "server.shutdown=immediate")
@AutoConfigureSimulatedTicker
@ResetRateLimits
@Import(Shop.Configuration.class)
@TestConstructor(autowireMode = AutowireMode.ALL)
public @interface ShopTest {

}
