package io.tierlimit.autoconfigure.reload;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

import io.tierlimit.evaluation.RuleReloader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.env.PropertiesPropertySourceLoader;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySourcesPropertyResolver;
import org.springframework.core.io.FileSystemResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The thread that checks the files.
 */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class WatchThreadTests {

	@TempDir
	private Path directory;

	private final MutablePropertySources sources = new MutablePropertySources();

	private final BlockingQueue<Thread> reloads = new LinkedBlockingQueue<>();

	private final RuleReloader reloader = (RuleReloader) Proxy.newProxyInstance(getClass().getClassLoader(),
			new Class<?>[] { RuleReloader.class }, (proxy, method, arguments) -> {
				this.reloads.add(Thread.currentThread());
				throw new StackOverflowError("on purpose");
			});

	private final ConfigurationWatcher watcher = new ConfigurationWatcher(this.sources, this.reloader, true,
			Duration.ofMillis(1));

	@BeforeEach
	void start() throws IOException {
		write("a=1");
		new PropertiesPropertySourceLoader().load("file", new FileSystemResource(file()))
			.forEach(this.sources::addLast);
		this.watcher.start();
	}

	@AfterEach
	void stop() {
		this.watcher.stop();
	}

	@Test
	void changesAreFoundAlsoAfterAnError(CapturedOutput output) throws Exception {
		write("a=2");
		Thread first = this.reloads.take();
		write("a=3");
		assertThat(this.reloads.take()).isSameAs(first);
		assertThat(first.isDaemon()).isTrue();
		assertThat(new PropertySourcesPropertyResolver(this.sources).getProperty("a")).isEqualTo("3");
		assertThat(output).contains("The files of the configuration could not be checked. They are checked again.");
	}

	@Test
	void threadEndsWithTheApplication() throws Exception {
		write("a=2");
		Thread thread = this.reloads.take();
		assertThat(this.watcher.isRunning()).isTrue();
		this.watcher.stop();
		thread.join();
		assertThat(this.watcher.isRunning()).isFalse();
	}

	private Path file() {
		return this.directory.resolve("file.properties");
	}

	/**
	 * Replaces the file at once, so that it is never read while only a part is written.
	 */
	private void write(String text) throws IOException {
		Path written = Files.writeString(this.directory.resolve("written"), text);
		Files.move(written, file(), StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
	}

}
