package io.tierlimit.replay;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/**
 * A progress bar for the bytes of files. It is shown on the standard error, and only on a
 * terminal.
 */
final class Progress implements AutoCloseable {

	private static final int REQUESTS = 10_000;

	private final @Nullable ProgressBar bar;

	private int requests;

	private Progress(@Nullable ProgressBar bar) {
		this.bar = bar;
	}

	/**
	 * Shows a bar if the program runs in a terminal, and the sizes of the files are
	 * known.
	 */
	static Progress of(List<String> files) throws IOException {
		if (!CommandLine.Help.Ansi.AUTO.enabled() || files.contains("-")) {
			return new Progress(null);
		}
		long size = 0;
		for (String file : files) {
			size += Files.size(Path.of(file));
		}
		return new Progress(new ProgressBarBuilder().setTaskName("Replay")
			.setInitialMax(size)
			.setUnit(" MB", 1_000_000)
			.setConsumer(new ConsoleProgressBarConsumer(System.err))
			.build());
	}

	/** Advances the bar, which is drawn by another thread. */
	void advanceTo(long bytes) {
		if (this.bar != null && ++this.requests % REQUESTS == 0) {
			this.bar.stepTo(bytes);
		}
	}

	@Override
	public void close() {
		if (this.bar != null) {
			this.bar.close();
		}
	}

}
