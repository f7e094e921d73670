package io.tierlimit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Limits the calls of a bean's method by a rule: one of the configuration or of a
 * {@link RuleDefinition} bean, or one that is written here, always with a token bucket. A
 * rule that needs more than these attributes is written there and named here. A call over
 * the limit is rejected with a {@link io.tierlimit.RateLimitExceededException}, which
 * becomes 429 in a web request.
 * <p>
 * On a class it applies to all methods, which share one bucket, except for those that
 * Spring MVC calls beside the one that serves a request (exception handlers and the
 * like). Where several annotations apply to a method, those of its class among them, all
 * are decided together: all or nothing. Of a method that overrides another, its own
 * annotations count, or if it has none those of the other.
 * <p>
 * Calls from within the same object are not limited: they do not pass its proxy. Texts
 * may have placeholders, such as <code>${orders.rate}</code>.
 */
@Documented
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(RateLimited.List.class)
public @interface RateLimited {

	/**
	 * The id of a rule of the configuration or of a bean. Beside it only {@link #key},
	 * {@link #cost} and {@link #maxWait} may stand, in place of the rule's own.
	 * @return the id; empty if the rule is written here
	 */
	String value() default "";

	/**
	 * The public id of a rule that is written here: headers and rejections name it.
	 * @return the id; by default {@code Class.method}, or {@code Class} on a class, and
	 * for a second and third rule without a name on the same element
	 * {@code Class.method#2} and {@code Class.method#3}
	 */
	String name() default "";

	/**
	 * Permits per period, such as {@code 10/s}, {@code 100/m} or {@code 1000/15m}.
	 * @return the rate of a rule that is written here
	 */
	String rate() default "";

	/**
	 * How many permits the bucket can save: a number such as {@code 20}, or the time in
	 * which the rate earns them, such as {@code 5m}.
	 * @return the burst of a rule that is written here; by default the permits of the
	 * rate
	 */
	String burst() default "";

	/**
	 * Whose bucket: {@code ip}, {@code user}, {@code endpoint}, {@code plan},
	 * {@code global}, the name of a {@link io.tierlimit.spi.KeyResolver} bean, or several
	 * of these.
	 * @return the scope; by default one bucket for all callers
	 */
	String[] scope() default {};

	/**
	 * SpEL over the caller and the method's arguments ({@code #name}): whose bucket,
	 * alone or as one more part of the scope.
	 * @return the expression; none by default
	 */
	String key() default "";

	/**
	 * Permits that a call consumes: a whole number, or SpEL over the caller and the
	 * method's arguments ({@code #name}). A fraction is rounded up; a call whose cost is
	 * not valid is rejected.
	 * @return the cost; by default the rule's own, or 1
	 */
	String cost() default "";

	/**
	 * How long a call, or the request that a handler serves, waits at most for its
	 * permits instead of being rejected, such as {@code 500ms}.
	 * @return the time; by default the rule's own, or none
	 */
	String maxWait() default "";

	/**
	 * SpEL over the caller: a rule that is written here applies unless it is false.
	 * @return the expression; by default the rule always applies
	 */
	String condition() default "";

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
