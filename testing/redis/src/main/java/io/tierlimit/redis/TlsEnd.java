package io.tierlimit.redis;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * Terminates TLS in front of a Redis, with a self-signed certificate.
 */
public final class TlsEnd implements AutoCloseable {

	private static final String PASSWORD = "secret";

	private final Path store;

	private final int target;

	private final ServerSocket socket;

	private final Set<Socket> open = ConcurrentHashMap.newKeySet();

	public TlsEnd(Path directory, int target) throws IOException, InterruptedException {
		this.store = directory.resolve("certificate.p12");
		this.target = target;
		Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
				"-genkeypair", "-alias", "redis", "-keyalg", "EC", "-dname", "CN=localhost", "-ext",
				"SAN=dns:localhost", "-storetype", "PKCS12", "-keystore", this.store.toString(), "-storepass", PASSWORD)
			.redirectErrorStream(true)
			.start();
		String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		if (keytool.waitFor() != 0) {
			throw new IllegalStateException(output);
		}
		this.socket = context().getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress());
		start(this::accept);
	}

	private SSLContext context() throws IOException {
		try (InputStream file = Files.newInputStream(this.store)) {
			KeyStore keys = KeyStore.getInstance("PKCS12");
			keys.load(file, PASSWORD.toCharArray());
			KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
			managers.init(keys, PASSWORD.toCharArray());
			SSLContext context = SSLContext.getInstance("TLS");
			context.init(managers.getKeyManagers(), null, null);
			return context;
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	public int port() {
		return this.socket.getLocalPort();
	}

	/** A trust store with the certificate. */
	public Path trusted() {
		return this.store;
	}

	private void accept() throws IOException {
		while (true) {
			Socket client = this.socket.accept();
			Socket redis = new Socket(InetAddress.getLoopbackAddress(), this.target);
			this.open.add(client);
			this.open.add(redis);
			start(() -> copy(client, redis));
			start(() -> copy(redis, client));
		}
	}

	private static void copy(Socket from, Socket to) throws IOException {
		try (from; to) {
			from.getInputStream().transferTo(to.getOutputStream());
		}
	}

	private static void start(Work work) {
		Thread thread = new Thread(() -> {
			try {
				work.run();
			}
			catch (IOException ex) {
				// One of the ends is closed.
			}
		}, "tls-end");
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
		for (Socket each : this.open) {
			each.close();
		}
	}

	/**
	 * The task of a thread.
	 */
	@FunctionalInterface
	private interface Work {

		void run() throws IOException;

	}

}
