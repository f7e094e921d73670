package io.tierlimit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Limits the calls to a bean's method by a rule. The annotation either names a rule of
 * the configuration or of a {@link RuleDefinition} bean, or declares a rule with its
 * attributes. A call over the limit is rejected with a
 * {@link io.tierlimit.RateLimitExceededException}, which becomes 429 in a web request.
 * <p>
 * On a class, the annotation applies to all methods, which share one bucket. On a
 * controller, it does not apply to auxiliary methods, such as exception handlers. If
 * several annotations apply to a method, including annotations of its class, they are
 * checked together: if one rejects the call, no permits are consumed. If a method
 * overrides another one, its own annotations apply; if it has none, the annotations of
 * the overridden method apply.
 * <p>
 * With {@code algorithm: concurrency}, the annotation limits permits in use at the same
 * time. If the annotated method serves a web request, or if the rule is a rule for
 * requests, the permits are in use until the response is complete. Otherwise, they are in
 * use until the method returns or throws an exception. If the method returns a
 * {@link java.util.concurrent.CompletionStage}, they are in use until the stage
 * completes, even if the web request ends earlier. If the declared return type allows it,
 * the caller receives a {@link java.util.concurrent.CompletableFuture} that completes
 * after the permits are released. A method with a reactive return type and a suspending
 * function release the permits when they return, which is before their work ends: use
 * {@link RateLimiter#hold} for them. Each call needs its own permits. With a limit of 1,
 * a call within another call with the same key is therefore rejected.
 * <p>
 * Calls from within the same object are not limited, because they bypass the proxy.
 * Attribute values may contain placeholders, such as <code>${orders.rate}</code>.
 */
@Documented
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(RateLimited.List.class)
public @interface RateLimited {

	/**
	 * The id of a rule that the configuration or a {@link RuleDefinition} bean defines.
	 * Only {@link #key}, {@link #cost} and {@link #maxWait} can be set in addition; each
	 * replaces the value of the rule.
	 * @return the id; empty if the annotation declares the rule
	 */
	String value() default "";

	/**
	 * The public id of the declared rule, which headers and rejections contain.
	 * @return the id; by default {@code Class.method}, or {@code Class} on a class. The
	 * second and third rule without a name on the same element are {@code Class.method#2}
	 * and {@code Class.method#3}
	 */
	String name() default "";

	/**
	 * Permits per period, such as {@code 10/s}, {@code 100/m} or {@code 1000/15m}.
	 * @return the rate of the declared rule
	 */
	String rate() default "";

	/**
	 * The maximum number of permits in the bucket: a number such as {@code 20}, or the
	 * time in which the rate makes this number available, such as {@code 5m}.
	 * @return the burst of the declared rule; by default the permits of the rate
	 */
	String burst() default "";

	/**
	 * The scope, which selects the bucket: {@code ip}, {@code user}, {@code endpoint},
	 * {@code plan}, {@code global}, the name of a {@link io.tierlimit.spi.KeyResolver}
	 * bean, or several of these.
	 * @return the scope; by default one bucket for all callers
	 */
	String[] scope() default {};

	/**
	 * An expression over the caller and the method's arguments ({@code #name}). Each
	 * value has its own bucket, within the scope if one is set.
	 * @return the expression; none by default
	 */
	String key() default "";

	/**
	 * The permits that a call consumes: a whole number, or an expression over the caller
	 * and the method's arguments ({@code #name}). The result of each division is rounded
	 * up. A call with an invalid cost is rejected.
	 * @return the cost; by default the cost of the rule, or 1
	 */
	String cost() default "";

	/**
	 * The maximum time that a call, or the request that a handler serves, waits for its
	 * permits instead of being rejected, such as {@code 500ms}. With
	 * {@code algorithm: concurrency}, the call waits until other calls release their
	 * permits, in the order of arrival within this instance.
	 * @return the time; by default the time of the rule, or no wait
	 */
	String maxWait() default "";

	/**
	 * An expression over the caller. The declared rule applies unless the value is false.
	 * @return the expression; by default the rule always applies
	 */
	String condition() default "";

	/**
	 * Further properties of the declared rule: each is {@code name=value}, with the name
	 * and the format of the configuration, such as {@code algorithm=sliding-window} or
	 * {@code ban.after=20}. Elements of a list are separated by commas. A property must
	 * not repeat an attribute.
	 * @return the properties; none by default
	 */
	String[] properties() default {};

	/**
	 * Several limits on the same method or class.
	 */
	@Documented
	@Target({ ElementType.TYPE, ElementType.METHOD })
	@Retention(RetentionPolicy.RUNTIME)
	@interface List {

		/**
		 * The limits.
		 * @return each annotation
		 */
		RateLimited[] value();

	}

}
