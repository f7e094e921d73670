package io.tierlimit.benchmarks;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/**
 * Sends many requests for one bucket to running applications over HTTP, to each
 * application in turn. Compares the number of admitted requests with the limit: it must
 * not exceed burst + rate x elapsed, and must be nearly as high.
 * <p>
 * All threads share one schedule of three times the rate; a late thread catches up. The
 * time is measured from just before the first request is sent until after the last
 * response, so it is never shorter than the time at the bucket. The bucket must be full
 * at the beginning.
 */
public final class HttpLoad {

	private static final int THREADS = 64;

	private static final int OVERLOAD = 3;

	private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

	private HttpLoad() {
	}

	/**
	 * Runs the load. Exits with 1 if more requests were admitted than the limit allows,
	 * or fewer than 97% of these, or if a response had another status than 200 and 429.
	 * @param args the URLs separated by commas, the rate per second, the burst, the
	 * seconds, and as many URLs of unlimited pages for the warm-up
	 * @throws Exception if a request fails
	 */
	public static void main(String[] args) throws Exception {
		if (args.length != 5) {
			System.err.println("Usage: HttpLoad URL,... RATE BURST SECONDS WARM-UP-URL,...");
			System.exit(2);
		}
		long rate = Long.parseLong(args[1]);
		HttpLoad load = new HttpLoad();
		Duration warmUp = Duration.ofSeconds(3);
		load.run(requests(args[4]), OVERLOAD * rate, warmUp);
		Result result = load.run(requests(args[0]), OVERLOAD * rate, Duration.ofSeconds(Long.parseLong(args[3])));
		System.exit(result.print(rate, Long.parseLong(args[2])) ? 0 : 1);
	}

	private static List<HttpRequest> requests(String urls) {
		return Stream.of(urls.split(",", -1))
			.map((url) -> HttpRequest.newBuilder(URI.create(url)).timeout(Duration.ofSeconds(10)).build())
			.toList();
	}

	private Result run(List<HttpRequest> requests, long perSecond, Duration duration)
			throws InterruptedException, ExecutionException {
		ExecutorService threads = Executors.newFixedThreadPool(THREADS);
		try {
			Schedule schedule = new Schedule(perSecond, duration);
			List<Callable<Counts>> senders = new ArrayList<>();
			for (int i = 0; i < THREADS; i++) {
				int first = i;
				senders.add(() -> send(requests, first, schedule));
			}
			Counts counts = Counts.NONE;
			for (Future<Counts> sender : threads.invokeAll(senders)) {
				counts = counts.plus(sender.get());
			}
			return new Result(THREADS, counts, schedule.elapsed());
		}
		finally {
			threads.shutdownNow();
		}
	}

	private Counts send(List<HttpRequest> requests, int first, Schedule schedule)
			throws IOException, InterruptedException {
		Counts counts = Counts.NONE;
		for (int i = first; schedule.awaitNext(); i++) {
			HttpRequest request = requests.get(i % requests.size());
			counts = counts.plus(this.client.send(request, BodyHandlers.discarding()).statusCode());
		}
		return counts;
	}

}
