package io.tierlimit.replay;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;

import io.tierlimit.replay.ReplayReport.Difference;
import io.tierlimit.rule.reader.Percentage;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The program {@code java -jar tierlimit-replay.jar}.
 */
@Command(name = "tierlimit-replay", sortOptions = false,
		description = "Replays access logs under the rules of a configuration of Tierlimit: which requests would have "
				+ "been rejected, and what other rules would change.",
		exitCodeListHeading = "Exit status:%n",
		exitCodeList = { "0:no threshold is exceeded", "1:a threshold is exceeded",
				"2:the usage, the rules or the log are not valid" },
		footer = "Environment variables and system properties override the configuration, as in an application.")
final class ReplayCommand implements Callable<Integer> {

	private static final int EXCEEDED = 1;

	private static final String STDIN = "-";

	/**
	 * The loggers of an application's startup, and of Spring if the rules are not valid.
	 * A static field, since a logger without a reference loses its level.
	 */
	private static final List<Logger> STARTUP = List.of(Logger.getLogger("io.tierlimit.autoconfigure"),
			Logger.getLogger("org.springframework"));

	@Spec
	@SuppressWarnings("NullAway.Init")
	private CommandSpec spec;

	@Parameters(index = "0", paramLabel = "RULES",
			description = "The configuration with the rules, such as " + "application.yml.")
	@SuppressWarnings("NullAway.Init")
	private Path rules;

	@Parameters(index = "1..*", arity = "1..*", paramLabel = "LOG",
			description = "Access logs in the Common or Combined Log Format, or with a JSON object in each line. They "
					+ "may be compressed by gzip. '-' is the standard input.")
	@SuppressWarnings("NullAway.Init")
	private List<String> logs;

	@Option(names = "--against", paramLabel = "RULES", description = "The rules to compare with.")
	private @Nullable Path against;

	@Option(names = "--field", paramLabel = "FACT=NAME",
			description = "The name of a field of JSON lines. The facts are time, method, path, address, user, status, "
					+ "duration (in seconds, subtracted from the time), plan, header.<name>, and the scopes of key "
					+ "resolvers. By default, a field has the name of the fact.")
	private Map<String, String> fields = new LinkedHashMap<>();

	@Option(names = "--spring-security", description = "The application uses Spring Security: rules that need the "
			+ "caller are checked after authentication, and not for requests that were answered with 401, or with 403 "
			+ "to an authenticated user.")
	private boolean springSecurity;

	@Option(names = "--endpoints", paramLabel = "FILE",
			description = "The mappings of the application, one in each " + "line, such as: GET /api/orders/{id}")
	private @Nullable Path endpoints;

	@Option(names = "--json", description = "Prints the result as JSON.")
	private boolean json;

	@Option(names = "--plot", paramLabel = "FILE",
			description = "Writes rejections over time as an image (.svg) or a " + "page (.html).")
	private @Nullable Path plot;

	@Option(names = "--max-rejected", paramLabel = "SHARE", converter = ShareConverter.class,
			description = "The largest share of requests that the rules may reject, such as 0.5%%.")
	private @Nullable Double maxRejected;

	@Option(names = "--max-added", paramLabel = "SHARE", converter = ShareConverter.class,
			description = "The largest share of requests that only the new rules may reject.")
	private @Nullable Double maxAdded;

	@Option(names = "--help", usageHelp = true, description = "Prints all options.")
	@SuppressWarnings("UnusedVariable") // picocli reads it
	private boolean help;

	private final InputStream input;

	private final Charset charset;

	ReplayCommand(InputStream input, Charset charset) {
		this.input = input;
		this.charset = charset;
	}

	/**
	 * Runs the program.
	 * @param arguments the arguments: see {@code --help}
	 */
	public static void main(String... arguments) {
		// The report contains the same warnings.
		STARTUP.forEach((logger) -> logger.setLevel(Level.OFF));
		Charset charset = Charset.forName(System.getProperty("stdout.encoding",
				System.getProperty("sun.stdout.encoding", Charset.defaultCharset().name())));
		PrintWriter output = new PrintWriter(new FileOutputStream(FileDescriptor.out), false, charset);
		int status = run(new ReplayCommand(System.in, charset), output, new PrintWriter(System.err, true, charset),
				arguments);
		output.flush();
		System.exit(status);
	}

	/** Runs the program with other streams, and returns its exit status. */
	static int run(ReplayCommand command, PrintWriter output, PrintWriter errors, String... arguments) {
		return new CommandLine(command).setOut(output)
			.setErr(errors)
			.setExecutionExceptionHandler((ex, line, result) -> {
				message(ex).lines().forEach((text) -> errors.println(Printable.of(text, 1000)));
				return CommandLine.ExitCode.USAGE;
			})
			.execute(arguments);
	}

	private static String message(Exception failure) {
		String message = String.valueOf(failure.getMessage());
		if (failure instanceof NoSuchFileException) {
			return message + " does not exist";
		}
		boolean expected = failure instanceof IOException || failure instanceof IllegalArgumentException;
		return expected ? message : failure.toString();
	}

	@Override
	public Integer call() throws IOException {
		checkOptions();
		try (AccessLog log = open()) {
			List<String> mappings = (this.endpoints != null)
					? Files.readAllLines(this.endpoints).stream().filter((line) -> !line.isBlank()).toList()
					: List.of();
			ReplayOptions options = new ReplayOptions(this.springSecurity, mappings);
			ReplayReport report = report(log, options);
			if (this.plot != null) {
				String image = this.plot.toString().endsWith(".svg")
						? Plot.svg(report, name(this.rules), name(this.against))
						: Plot.html(report, name(this.rules), name(this.against));
				Files.writeString(this.plot, image);
			}
			print(report);
			return exceeds(report) ? EXCEEDED : CommandLine.ExitCode.OK;
		}
	}

	private void checkOptions() {
		if (this.maxAdded != null && this.against == null) {
			throw new ParameterException(this.spec.commandLine(), "--max-added requires --against");
		}
		if (this.plot != null && !this.plot.toString().matches(".*\\.(svg|html)")) {
			throw new ParameterException(this.spec.commandLine(),
					"--plot must end with .svg or .html (was '" + this.plot + "')");
		}
		if (this.logs.contains(STDIN) && this.logs.size() > 1) {
			throw new ParameterException(this.spec.commandLine(),
					"The standard input ('-') cannot be merged with files");
		}
	}

	private AccessLog open() throws IOException {
		LogFields names = new LogFields(this.fields);
		return this.logs.contains(STDIN) ? AccessLog.open("standard input", this.input, names)
				: AccessLog.open(this.logs.stream().map(Path::of).toList(), names);
	}

	private ReplayReport report(AccessLog log, ReplayOptions options) throws IOException {
		if (log.readable() == 0) {
			throw new IOException("No line of the log has a request. " + String.join(" ", log.unreadableExamples()));
		}
		try (Replay replay = Replay.of(this.rules, log.facts(), options);
				Replay old = (this.against != null) ? Replay.of(this.against, log.facts(), options) : null;
				Progress progress = Progress.of(this.logs)) {
			if (replay.rules().isEmpty()) {
				throw new IOException(this.rules + ": no rule can be replayed. " + reasons(replay.skipped()));
			}
			ReplayStatistics statistics = new ReplayStatistics(replay, old);
			for (LoggedRequest request = log.next(); request != null; request = log.next()) {
				statistics.add(request);
				progress.advanceTo(log.bytesRead());
			}
			return statistics.report(log);
		}
	}

	private static String reasons(List<SkippedRule> skipped) {
		return skipped.isEmpty() ? "The file has no rule for requests. Define one below tierlimit.rules."
				: skipped.stream()
					.map((rule) -> "Rule '" + rule.rule() + "': " + String.join("; ", rule.reasons()) + ".")
					.collect(Collectors.joining(" "));
	}

	private void print(ReplayReport report) {
		PrintWriter output = this.spec.commandLine().getOut();
		if (this.json) {
			output.println(JsonMapper.builder()
				.enable(SerializationFeature.INDENT_OUTPUT)
				.disable(DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS, DateTimeFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
				.build()
				.writeValueAsString(report));
			return;
		}
		boolean unicode = this.charset.newEncoder().canEncode('\u2588');
		new TextReport(report, name(this.rules), name(this.against), unicode).lines().forEach(output::println);
		if (this.maxRejected != null) {
			print(output, "--max-rejected", this.maxRejected, report.rules().share());
		}
		Difference difference = report.difference();
		if (this.maxAdded != null && difference != null) {
			print(output, "--max-added", this.maxAdded, difference.addedShare());
		}
	}

	private static void print(PrintWriter output, String option, double threshold, double share) {
		output.println(option + " " + TextReport.percent(threshold)
				+ ((share > threshold) ? " is exceeded: " : " is met: ") + TextReport.percent(share));
	}

	private boolean exceeds(ReplayReport report) {
		Difference difference = report.difference();
		return (this.maxRejected != null && report.rules().share() > this.maxRejected)
				|| (this.maxAdded != null && difference != null && difference.addedShare() > this.maxAdded);
	}

	private static String name(@Nullable Path file) {
		return (file != null) ? String.valueOf(file.getFileName()) : "";
	}

	/**
	 * Reads a share, such as {@code 0.5%}.
	 */
	static final class ShareConverter implements CommandLine.ITypeConverter<Double> {

		@Override
		public Double convert(String value) {
			try {
				double share = Percentage.parse("share", value).share().doubleValue();
				if (share >= 0 && share <= 1) {
					return share;
				}
			}
			catch (IllegalArgumentException ex) {
				// The message for a share out of range follows.
			}
			throw new CommandLine.TypeConversionException("must be a percentage from 0% to 100% (was '" + value + "')");
		}

	}

}
