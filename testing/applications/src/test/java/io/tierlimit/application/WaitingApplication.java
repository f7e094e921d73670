package io.tierlimit.application;

import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

import io.tierlimit.evaluation.Sleeper;
import org.jspecify.annotations.Nullable;

import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.multipart.MultipartFile;

/**
 * An application whose requests wait until the test ends their waits.
 */
@Configuration(proxyBeanMethods = false)
@Import({ TestApplication.class, WaitingApplication.Handlers.class, WaitingApplication.ManualSleeper.class })
class WaitingApplication {

	static final class ManualSleeper implements Sleeper {

		final List<Duration> waiting = new CopyOnWriteArrayList<>();

		private final List<Runnable> next = new CopyOnWriteArrayList<>();

		@Override
		public void sleep(Duration time) throws InterruptedException {
			CountDownLatch over = new CountDownLatch(1);
			this.next.add(over::countDown);
			this.waiting.add(time);
			over.await();
		}

		/** Sleeps until the test ends the wait, or until the signal. */
		@Override
		public void sleep(Duration time, Semaphore signal) throws InterruptedException {
			this.next.add(signal::release);
			this.waiting.add(time);
			signal.acquire();
		}

		@Override
		public long nanoTime() {
			return 0;
		}

		/** Lets all waiting threads continue. */
		void end() {
			List<Runnable> waiting = List.copyOf(this.next);
			this.next.removeAll(waiting);
			waiting.forEach(Runnable::run);
		}

	}

	@RestController
	static class Handlers {

		private final Semaphore release = new Semaphore(0);

		private final AtomicInteger calls = new AtomicInteger();

		int calls() {
			return this.calls.get();
		}

		@GetMapping("/delayed")
		String waiting(@Nullable Principal user) {
			this.calls.incrementAndGet();
			return "served " + ((user != null) ? user.getName() : "anonymous");
		}

		@GetMapping("/delayed/async")
		Callable<String> async() {
			return () -> waiting(null);
		}

		@PostMapping("/delayed/upload")
		String upload(@RequestParam MultipartFile file) throws Exception {
			return new String(file.getBytes(), StandardCharsets.UTF_8);
		}

		@GetMapping("/held/now")
		String now() {
			return "free";
		}

		@GetMapping("/held/until-released")
		String untilReleased() throws InterruptedException {
			this.calls.incrementAndGet();
			this.release.acquire();
			return "released";
		}

		void release() {
			this.release.release();
		}

	}

}
