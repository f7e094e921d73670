package io.tierlimit.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import redis.clients.jedis.ScanIteration;
import redis.clients.jedis.UnifiedJedis;

import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.core.Cursor;
import org.springframework.data.redis.core.ScanOptions;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * Runs the script over any connection factory, including a factory of Jedis, with its
 * connections and timeouts. On one server, the thread of a request makes the calls that
 * the request waits for. On a Redis Cluster, a few separate threads make these calls, so
 * that several slots are called in parallel. The separate threads also make calls that
 * are not awaited.
 */
final class BlockingScriptClient implements ScriptClient {

	private static final int PAGE = 500;

	private static final int THREADS = 64;

	private final RedisConnectionFactory factory;

	private final ExecutorService threads;

	/** Known as soon as there has been a connection. */
	private volatile boolean cluster;

	BlockingScriptClient(RedisConnectionFactory factory, boolean cluster) {
		this.factory = factory;
		this.cluster = cluster;
		this.threads = new ThreadPoolExecutor(0, THREADS, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), (task) -> {
			Thread thread = new Thread(task, "tierlimit-redis");
			thread.setDaemon(true);
			return thread;
		});
	}

	@Override
	public Future<List<Object>> send(RedisScript<?> script, ScriptCall call, boolean byText) {
		FutureTask<List<Object>> task = new FutureTask<>(() -> run(script, call, byText));
		if (!this.cluster || !start(task)) {
			task.run();
		}
		return task;
	}

	/**
	 * Drops the call if no thread is idle, so that no calls accumulate while a server
	 * does not reply.
	 */
	@Override
	public boolean sendUnawaited(RedisScript<?> script, ScriptCall call) {
		return start(new FutureTask<>(() -> run(script, call, false)));
	}

	private boolean start(Runnable task) {
		try {
			this.threads.execute(task);
			return true;
		}
		catch (RejectedExecutionException ex) {
			return false;
		}
	}

	private List<Object> run(RedisScript<?> script, ScriptCall call, boolean byText) {
		List<byte[]> keysAndArguments = new ArrayList<>(call.keys());
		keysAndArguments.addAll(call.arguments());
		byte[][] parameters = keysAndArguments.toArray(byte[][]::new);
		int keys = call.keys().size();
		try (RedisConnection connection = connect()) {
			List<Object> answer = byText ? connection.scriptingCommands()
				.eval(script.getScriptAsString().getBytes(StandardCharsets.UTF_8), ReturnType.MULTI, keys, parameters)
					: connection.scriptingCommands().evalSha(script.getSha1(), ReturnType.MULTI, keys, parameters);
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
				JedisClusterScan.run(connection.getNativeConnection(), start + "*", deadline, pages);
				return;
			}
			ScanOptions options = ScanOptions.scanOptions().match(start + "*").count(PAGE).build();
			try (Cursor<byte[]> found = connection.keyCommands().scan(options)) {
				List<byte[]> page = new ArrayList<>(PAGE);
				boolean more = true;
				while (more && found.hasNext()) {
					page.add(found.next());
					if (page.size() == PAGE || !found.hasNext()) {
						deadline.check();
						more = pages.accept(page);
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
	public boolean isCluster() {
		return this.cluster;
	}

	@Override
	public void close() {
		this.threads.shutdown();
	}

	/**
	 * Finds keys on all nodes of a Redis Cluster by Jedis. Spring Data Redis has a cursor
	 * for one node, but other threads may use its connection at the same time. A separate
	 * class, because Jedis is optional.
	 */
	private static final class JedisClusterScan {

		static void run(Object connection, String pattern, Deadline deadline, Pages pages) throws StoreFailure {
			if (!(connection instanceof UnifiedJedis jedis)) {
				throw new StoreFailure("keys cannot be scanned with " + connection.getClass().getName(), null);
			}
			ScanIteration iteration = jedis.scanIteration(PAGE, pattern);
			boolean more = true;
			while (more && !iteration.isIterationCompleted()) {
				List<byte[]> keys = iteration.nextBatchList()
					.stream()
					.map((key) -> key.getBytes(StandardCharsets.UTF_8))
					.toList();
				deadline.check();
				more = pages.accept(keys);
			}
		}

	}

}
