package io.tierlimit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Holds calls of a bean's method to a rate limit: a rule of the configuration, or one
 * that is written here. What goes over is refused with a
 * {@link io.tierlimit.RateLimitExceededException}, which becomes 429 in a web request.
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
	 * The id of a rule of the configuration. Beside it only {@link #key}, {@link #cost}
	 * and {@link #maxWait} may stand, which then take the place of the rule's own.
	 * @return the id; empty if the rule is written here
	 */
	String value() default "";

	/**
	 * The public id of a rule that is written here: header fields and refusals name it.
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
	 * What becomes of time and permits: {@code token-bucket}, {@code fixed-window},
	 * {@code sliding-window}, {@code sliding-log} or {@code leaky-bucket}.
	 * @return the algorithm of a rule that is written here; by default a token bucket
	 */
	String algorithm() default "";

	/**
	 * How many permits a token bucket can save.
	 * @return 1 or more; by default (-1) the rate's permits
	 */
	long burst() default -1;

	/**
	 * How many permits a token bucket can save: what a time such as {@code 5m} earns.
	 * @return the time, in place of {@link #burst}
	 */
	String burstTime() default "";

	/**
	 * How many permits can add up in a fixed window.
	 * @return as many as the rate has or more; by default (-1) that many
	 */
	long capacity() default -1;

	/**
	 * When fixed windows begin: an offset from 1970-01-01T00:00Z such as {@code 7h}.
	 * @return the offset; by default a moment of each key's own
	 */
	String start() default "";

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
	 * How long a call, or the request that a handler serves, is held at most until its
	 * permits have come, instead of being refused: such as {@code 500ms}.
	 * @return the time; by default the rule's own, or none
	 */
	String maxWait() default "";

	/**
	 * How many permits a bucket may owe to programs that reserve them.
	 * @return the permits that can be reserved under a rule that is written here; by
	 * default (-1) none
	 */
	long maxReserved() default -1;

	/**
	 * SpEL over the caller: a rule that is written here applies unless it is false.
	 * @return the expression; by default the rule always applies
	 */
	String condition() default "";

	/**
	 * Whether header fields tell callers about a rule that is written here: {@code shown}
	 * or {@code hidden}.
	 * @return the visibility; by default shown
	 */
	String headers() default "";

	/**
	 * What a rule that is written here does with callers who lack what its key needs:
	 * {@code ip}, {@code skip} or {@code deny}.
	 * @return what it does; by default their address stands in
	 */
	String anonymous() default "";

	/**
	 * Whether a rule that is written here refuses calls: {@code enforce}, or
	 * {@code shadow}, which only counts what it would refuse.
	 * @return the mode; by default enforce
	 */
	String mode() default "";

	/**
	 * What a rule that is written here does while a shared store can't be reached:
	 * {@code local}, {@code allow} or {@code deny}.
	 * @return what it does; by default as is configured for all
	 */
	String onStoreFailure() default "";

	/**
	 * What must happen to a web request for its charge to stand: {@code always}, or
	 * response statuses ({@code 401}, {@code 5xx}), {@code authentication-failure} and
	 * {@code authentication-success}. What is called without a request is charged always.
	 * @return what a rule that is written here charges for; by default every call
	 */
	String[] charge() default {};

	/**
	 * What must happen to a web request for the bucket to be reset: response statuses, or
	 * {@code authentication-success} of the account that the key names.
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
