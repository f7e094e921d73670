package io.tierlimit.replay;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the command, and compares its output with the documentation.
 */
class ReplayCommandTests {

	private static final Path EXAMPLE = Path.of("src/test/resources/example");

	private static final String NEW = EXAMPLE.resolve("rules-new.yml").toString();

	private static final String OLD = EXAMPLE.resolve("rules-old.yml").toString();

	private static final Path PAGE = Path.of("../docs/rollout.md");

	@TempDir
	private Path directory;

	private String log = "";

	@BeforeEach
	void writeLog() throws IOException {
		this.log = ExampleLog.write(this.directory.resolve("access.log")).toString();
	}

	@Test
	void documentationShowsTheOutput() throws IOException {
		Run run = run(NEW, "--against", OLD, this.log, "--max-added", "1%");
		assertThat(run.errors()).isEmpty();
		assertThat(run.status()).isEqualTo(1);
		String page = Files.readString(PAGE);
		assertThat(page).contains(Files.readString(EXAMPLE.resolve("rules-new.yml")),
				Files.readString(EXAMPLE.resolve("rules-old.yml")));
		assertThat(page).contains(run.output().replace(this.log, "access.log").strip());
	}

	@Test
	void documentationHasAllOptions() throws IOException {
		Run help = run("--help");
		assertThat(help.status()).isZero();
		List<String> options = help.output()
			.lines()
			.map(String::strip)
			.filter((line) -> line.startsWith("--"))
			.toList();
		assertThat(options).hasSizeGreaterThan(6);
		assertThat(Files.readString(PAGE))
			.contains(options.stream().map((line) -> line.split("[ =]", 2)[0]).map((name) -> "`" + name).toList());
	}

	@Test
	void documentedProgramIsTheOneThatRuns() throws IOException {
		assertThat(RejectedRequests.find(Path.of(NEW), Path.of(this.log))).hasSize(593)
			.contains("2026-11-23T10:30:04Z 198.51.100.77 /");
		String program = Files.readString(Path.of("src/test/java/io/tierlimit/replay/RejectedRequests.java"));
		String shown = program.substring(program.indexOf("begins here.\n") + "begins here.\n".length(),
				program.indexOf("\t// What docs/rollout.md shows ends"));
		assertThat(Files.readString(PAGE)).contains(shown.stripTrailing().replaceAll("(?m)^\t", ""));
	}

	@Test
	void jsonHasTheSameNumbers() {
		JsonNode json = JsonMapper.shared().readTree(run(NEW, "--against", OLD, this.log, "--json").output());
		assertThat(json.at("/log/requests").asLong()).isEqualTo(12_060);
		assertThat(json.at("/log/first").asString()).isEqualTo("2026-11-23T08:00:00Z");
		assertThat(json.at("/log/unreadable").asLong()).isEqualTo(1);
		JsonNode search = json.at("/rules/rules/1");
		assertThat(search.at("/rule").asString()).isEqualTo("search");
		assertThat(search.at("/topKeys/0/key").asString()).isEqualTo("198.51.100.23");
		assertThat(json.at("/difference/added").asLong()).isEqualTo(json.at("/rules/rejected").asLong()
				- json.at("/against/rejected").asLong() + json.at("/difference/removed").asLong());
		long sum = 0;
		for (JsonNode count : search.at("/timeline/counts")) {
			sum += count.asLong();
		}
		assertThat(sum).isEqualTo(search.at("/rejected").asLong()).isPositive();
		assertThat(search.at("/timeline/interval").asString()).startsWith("PT");
	}

	@ParameterizedTest
	@CsvSource({ "--max-rejected,100%,0", "--max-rejected,0%,1", "--max-added,100%,0", "--max-added,0%,1" })
	void thresholdsDecideTheExitStatus(String option, String threshold, int status) {
		Run run = run(NEW, "--against", OLD, this.log, option, threshold);
		assertThat(run.status()).isEqualTo(status);
		assertThat(run.output())
			.contains(option + " " + threshold.replace("%", ".00%") + ((status == 0) ? " is met" : " is exceeded"));
	}

	@Test
	void thresholdThatIsEqualIsMet() {
		assertThat(run(OLD, "--against", OLD, this.log, "--max-added", "0%").status()).isZero();
	}

	@Test
	void mistakesAreReportedWithStatusTwo() throws IOException {
		String empty = Files.writeString(this.directory.resolve("empty.log"), "nothing\n").toString();
		String users = Files
			.writeString(this.directory.resolve("users.yml"), "tierlimit.rules.per-user: { scope: user, rate: 1/s }")
			.toString();
		assertMistake("Missing required parameter", NEW);
		assertMistake("No line of the log has a request", NEW, empty);
		assertMistake("missing.log does not exist", NEW, this.directory.resolve("missing.log").toString());
		assertMistake("missing.yml: the file cannot be read", "missing.yml", this.log);
		assertMistake("no rule can be replayed. Rule 'per-user': ", users, this.log);
		String none = Files.writeString(this.directory.resolve("none.yml"), "server.port: 8080").toString();
		assertMistake("no rule can be replayed. The file has no rule for requests.", none, this.log);
		assertMistake("--max-added requires --against", NEW, this.log, "--max-added", "1%");
		assertMistake("must be a percentage", NEW, this.log, "--max-rejected", "0.5");
		assertMistake("must be a percentage", NEW, this.log, "--max-rejected", "101%");
		assertMistake("--plot must end with", NEW, this.log, "--plot", "x.png");
		assertMistake("cannot be merged", NEW, this.log, "-");
		assertMistake("Unknown option", NEW, this.log, "--wrong");
		assertMistake("An endpoint must have the form", NEW, this.log, "--endpoints", empty);
	}

	private void assertMistake(String message, String... arguments) {
		Run run = run(arguments);
		assertThat(run.errors()).contains(message);
		assertThat(run.status()).isEqualTo(2);
		assertThat(run.output()).isEmpty();
	}

	@Test
	void standardInputAndFieldsAndEndpoints() throws IOException {
		Path rules = Files.writeString(this.directory.resolve("r.yml"),
				"tierlimit.rules.r: { scope: [tenant, endpoint], rate: 1/h }");
		Path endpoints = Files.writeString(this.directory.resolve("endpoints.txt"), "GET /a/{id}\n\nPOST /a\n");
		List<String> lines = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			lines.add("{\"ts\":" + i + ",\"method\":\"GET\",\"path\":\"/a/" + i + "\",\"org\":\"o\"}");
		}
		Run run = run(new ByteArrayInputStream(String.join("\n", lines).getBytes(StandardCharsets.UTF_8)),
				StandardCharsets.UTF_8, rules.toString(), "-", "--field", "time=ts", "--field", "tenant=org",
				"--endpoints", endpoints.toString());
		assertThat(run.output()).contains("r.yml rejects 2 requests (66.67%)");
		assertThat(run.status()).isZero();
	}

	@Test
	void hostileTextIsNotPrintedAsItIs() throws IOException {
		Path rules = Files.writeString(this.directory.resolve("<script>&.yml"), """
				tierlimit.keys.hash: none
				tierlimit.rules.r: { key: header('User-Agent'), rate: 1/h }
				""");
		String agent = "\\x1b[31m\u001b[2J<script>&" + "x".repeat(40);
		String line = "::1 - - [23/Nov/2026:08:00:00 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"" + agent + "\"\n";
		Path hostile = Files.writeString(this.directory.resolve("hostile.log"), line + line + "\u001b]0;title\u0007\n");
		Path plot = this.directory.resolve("plot.html");
		Run run = run(rules.toString(), hostile.toString(), "--plot", plot.toString());
		assertThat(run.output()).contains("\\u{1b}[31m\\u{1b}[2J<script>", "...", "\\u{1b}]0;title\\u{7}");
		assertThat(run.output().replace("\n", "").chars()).noneMatch(Character::isISOControl);
		assertThat(Files.readString(plot)).doesNotContain("<script").doesNotContain("\u001b");
	}

	@Test
	void plotIsAnImageOrAPage() throws Exception {
		Path svg = this.directory.resolve("plot.svg");
		Path html = this.directory.resolve("plot.html");
		run(NEW, "--against", OLD, this.log, "--plot", svg.toString());
		run(NEW, this.log, "--plot", html.toString());
		var image = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(svg.toFile());
		assertThat(image.getDocumentElement().getNodeName()).isEqualTo("svg");
		assertThat(image.getElementsByTagName("rect").getLength()).isPositive();
		assertThat(Files.readString(svg)).contains("search, rules-new.yml", "per-ip, rules-new.yml");
		assertThat(Files.readString(html)).startsWith("<!DOCTYPE html>").contains("<svg", "</html>");
	}

	@Test
	void plotHasOtherCharactersWithoutUnicode() {
		Run run = run(InputStream.nullInputStream(), StandardCharsets.US_ASCII, NEW, this.log);
		assertThat(run.output()).contains("@")
			.matches((text) -> StandardCharsets.US_ASCII.newEncoder().canEncode(text));
	}

	private static Run run(String... arguments) {
		return run(InputStream.nullInputStream(), StandardCharsets.UTF_8, arguments);
	}

	private static Run run(InputStream input, Charset charset, String... arguments) {
		StringWriter output = new StringWriter();
		StringWriter errors = new StringWriter();
		int status = ReplayCommand.run(new ReplayCommand(input, charset), new PrintWriter(output),
				new PrintWriter(errors), arguments);
		return new Run(status, output.toString(), errors.toString());
	}

	private record Run(int status, String output, String errors) {

	}

}
