package io.tierlimit.test;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;

/**
 * A test of the library with MockMvc.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@SpringBootTest(classes = Library.class,
		properties = { "tierlimit.rules.readers.scope=ip", "tierlimit.rules.readers.paths=/books",
				"tierlimit.rules.readers.rate=60/h", "tierlimit.rules.books.scope=endpoint",
				"tierlimit.rules.books.paths=/books", "tierlimit.rules.books.rate=2/h" })
@AutoConfigureMockMvc
@interface LibraryTest {

}
