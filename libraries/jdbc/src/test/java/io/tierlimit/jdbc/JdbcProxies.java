package io.tierlimit.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.util.Map;

/**
 * Creates connections with a single changed value in their metadata.
 */
public final class JdbcProxies {

	private JdbcProxies() {
	}

	public static Connection connection(Connection connection, Map<String, String> metadata) {
		return proxy(Connection.class, (proxy, method, arguments) -> {
			Object result = method.invoke(connection, arguments);
			return (result instanceof DatabaseMetaData real)
					? proxy(DatabaseMetaData.class, (other, name, values) -> metadata.containsKey(name.getName())
							? metadata.get(name.getName()) : name.invoke(real, values))
					: result;
		});
	}

	private static <T> T proxy(Class<T> type, InvocationHandler handler) {
		return type
			.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, arguments) -> {
				try {
					return handler.invoke(proxy, method, arguments);
				}
				catch (InvocationTargetException ex) {
					throw ex.getCause();
				}
			}));
	}

}
