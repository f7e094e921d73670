package io.tierlimit.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor.CallerRunsPolicy;
import java.util.concurrent.TimeUnit;

import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.core.Cursor;
import org.springframework.data.redis.core.ScanOptions;

/**
 * Runs the script over any connection factory, Jedis' among others: by its connections
 * and for as long as these wait. On one server that is done by the request's own thread;
 * on a Redis Cluster by a few threads, so that several slots are asked side by side.
 */
final class BlockingScriptClient implements ScriptClient {

	private static final int PAGE = 500;

	private static final int THREADS = 64;

	private final RedisConnectionFactory factory;

	private final ExecutorService threads;

	/** Known as soon as there was a connection. */
	private volatile boolean cluster;

	BlockingScriptClient(RedisConnectionFactory factory, boolean cluster) {
		this.factory = factory;
		this.cluster = cluster;
		// Whoever finds no thread idle does it himself.
		this.threads = new ThreadPoolExecutor(0, THREADS, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), (task) -> {
			Thread thread = new Thread(task, "tierlimit-redis");
			thread.setDaemon(true);
			return thread;
		}, new CallerRunsPolicy());
	}

	@Override
	public Future<List<Object>> send(BucketScript script, ScriptCall call, boolean byText) {
		FutureTask<List<Object>> task = new FutureTask<>(() -> run(script, call, byText));
		Executor executor = this.cluster ? this.threads : Runnable::run;
		executor.execute(task);
		return task;
	}

	private List<Object> run(BucketScript script, ScriptCall call, boolean byText) {
		List<byte[]> words = new ArrayList<>(call.keys());
		words.addAll(call.arguments());
		byte[][] keysAndArguments = words.toArray(byte[][]::new);
		int keys = call.keys().size();
		try (RedisConnection connection = connect()) {
			List<Object> answer = byText
					? connection.scriptingCommands()
						.eval(script.text().getBytes(StandardCharsets.UTF_8), ReturnType.MULTI, keys, keysAndArguments)
					: connection.scriptingCommands().evalSha(script.digest(), ReturnType.MULTI, keys, keysAndArguments);
			if (answer == null) {
				throw new InvalidDataAccessApiUsageException("The script was queued instead of run");
			}
			return answer;
		}
	}

	private RedisConnection connect() {
		RedisConnection connection = this.factory.getConnection();
		this.cluster = connection instanceof RedisClusterConnection;
		return connection;
	}

	@Override
	public void scan(String start, Deadline deadline, Pages pages) throws StoreFailure {
		try (RedisConnection connection = connect()) {
			if (this.cluster) {
				JedisClusterScan.run(connection.getNativeConnection(), start + "*", PAGE, deadline, pages);
				return;
			}
			ScanOptions options = ScanOptions.scanOptions().match(start + "*").count(PAGE).build();
			try (Cursor<byte[]> found = connection.keyCommands().scan(options)) {
				List<byte[]> page = new ArrayList<>(PAGE);
				while (found.hasNext()) {
					page.add(found.next());
					if (page.size() == PAGE || !found.hasNext()) {
						deadline.check();
						pages.accept(page);
						page.clear();
					}
				}
			}
		}
		catch (RuntimeException ex) {
			throw StoreFailure.of(ex);
		}
	}

	@Override
	public void reconnect() {
		// The factory's own connections are made anew by the factory.
	}

	@Override
	public String server(ScriptCall call) {
		return "";
	}

	@Override
	public boolean serves(String server) {
		return true;
	}

	@Override
	public boolean isCluster() {
		return this.cluster;
	}

	@Override
	public void close() {
		this.threads.shutdown();
	}

}
