package io.tierlimit.web.mvc;

import java.lang.reflect.Proxy;

import jakarta.servlet.ServletRegistration;
import jakarta.servlet.http.MappingMatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.asm.ClassWriter;
import org.springframework.asm.Opcodes;
import org.springframework.mock.web.MockHttpServletMapping;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockServletContext;

import static org.assertj.core.api.Assertions.assertThat;

class TargetServletsTests {

	private static final String DISPATCHER = "org.springframework.web.servlet.DispatcherServlet";

	private final TargetServlets servlets = new TargetServlets();

	@Test
	void dispatcherServletIsServedByMvc() {
		assertThat(isServedByMvc(DISPATCHER)).isTrue();
	}

	@Test
	void otherServletIsNot() {
		assertThat(isServedByMvc("jakarta.servlet.http.HttpServlet")).isFalse();
	}

	/**
	 * Two class loaders, as with DevTools, or with a library that several applications of
	 * a server share.
	 */
	@Test
	void dispatcherServletThatOnlyTheApplicationsClassLoaderFindsIsServedByMvc() {
		assertThat(isServedByMvc("application.OwnDispatcherServlet")).isTrue();
	}

	private boolean isServedByMvc(String className) {
		ServletRegistration registration = (ServletRegistration) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { ServletRegistration.class }, (proxy, method, arguments) -> className);
		MockHttpServletRequest request = new MockHttpServletRequest(new MockServletContext() {

			@Override
			public @Nullable ServletRegistration getServletRegistration(String servletName) {
				return registration;
			}

			@Override
			public ClassLoader getClassLoader() {
				return new ApplicationLoader();
			}

		});
		request.setHttpServletMapping(new MockHttpServletMapping("/", "/", "own", MappingMatch.DEFAULT));
		return this.servlets.isServedByMvc(request);
	}

	/**
	 * A class loader with a subclass of the dispatcher servlet that the parent class
	 * loader does not have.
	 */
	private static final class ApplicationLoader extends ClassLoader {

		private ApplicationLoader() {
			super(TargetServlets.class.getClassLoader());
		}

		@Override
		protected Class<?> findClass(String name) throws ClassNotFoundException {
			if (!name.equals("application.OwnDispatcherServlet")) {
				throw new ClassNotFoundException(name);
			}
			ClassWriter writer = new ClassWriter(0);
			writer.visit(Opcodes.V17, Opcodes.ACC_PUBLIC, name.replace('.', '/'), null, DISPATCHER.replace('.', '/'),
					null);
			writer.visitEnd();
			byte[] bytes = writer.toByteArray();
			return defineClass(name, bytes, 0, bytes.length);
		}

	}

}
