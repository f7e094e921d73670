/**
 * Adapters to classes of Spring Boot 3.5 that have another package in Spring Boot 4. They
 * are here because they are compiled against Spring Boot 3.5, and have no effect on
 * Spring Boot 4. Internal.
 */
@NullMarked
package io.tierlimit.starter;

import org.jspecify.annotations.NullMarked;
