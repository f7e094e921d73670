package io.tierlimit.method;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Holds calls of a bean's method to a rate limit: a rule of the configuration, or one
 * that is written here. What goes over is refused with a
 * {@link io.tierlimit.evaluation.RateLimitExceededException}, which becomes 429 in a web
 * request.
 * <p>
 * On a class it holds all its methods to one bucket, but those that Spring MVC calls
 * beside the one that serves a request (exception handlers and the like). Where several
 * annotations hold a method, its class's among them, all are decided together: all or
 * nothing. Of a method that overrides another, its own annotations count, or if it has
 * none the other's.
 * <p>
 * Calls from within the same object are not held: they don't pass its proxy. Texts may
 * have placeholders, such as <code>${orders.rate}</code>.
 */
@Documented
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(RateLimited.List.class)
public @interface RateLimited {

	/**
	 * The id of a rule of the configuration. Beside it only {@link #key} and
	 * {@link #cost} may stand, which then take the place of the rule's own.
	 * @return the id; empty if the rule is written here
	 */
	String value() default "";

	/**
	 * The public id of a rule that is written here: header fields and refusals name it.
	 * @return the id; by default {@code Class.method}, or {@code Class} on a class
	 */
	String name() default "";

	/**
	 * Permits per period, such as {@code 10/s}, {@code 100/m} or {@code 1000/15m}.
	 * @return the rate of a rule that is written here
	 */
	String rate() default "";

	/**
	 * How many permits can be saved.
	 * @return 1 or more; by default (-1) the rate's permits
	 */
	long burst() default -1;

	/**
	 * Whose bucket: {@code ip}, {@code user}, {@code endpoint}, {@code plan},
	 * {@code global}, the name of a {@link io.tierlimit.key.KeyResolver} bean, or several
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
	 * Permits that a call takes: a whole number, or SpEL over the caller and the method's
	 * arguments ({@code #name}).
	 * @return the cost; by default the rule's own, or 1
	 */
	String cost() default "";

	/**
	 * What must happen to a web request for its charge to stand: {@code always}, or
	 * response statuses ({@code 401}, {@code 5xx}), {@code authentication-failure} and
	 * {@code authentication-success}. What is called without a request is charged always.
	 * @return what a rule that is written here charges for; by default every call
	 */
	String[] charge() default {};

	/**
	 * What must happen to a web request for the bucket to be full again: response
	 * statuses or {@code authentication-success}.
	 * @return what resets the bucket of a rule that is written here; by default nothing
	 */
	String[] resetOn() default {};

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
