package io.tierlimit.replay;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.tierlimit.Verdict;

/**
 * The example in docs/rollout.md.
 */
final class RejectedRequests {

	private RejectedRequests() {
	}

	// What docs/rollout.md shows begins here.
	static List<String> find(Path rules, Path file) throws IOException {
		List<String> rejected = new ArrayList<>();
		try (AccessLog log = AccessLog.open(List.of(file), LogFields.DEFAULT);
				Replay replay = Replay.of(rules, log.facts(), ReplayOptions.DEFAULT)) {
			for (LoggedRequest request = log.next(); request != null; request = log.next()) {
				Verdict verdict = replay.replay(request);
				if (verdict != null && !verdict.allowed()) {
					rejected.add(request.time() + " " + request.address() + " " + request.target());
				}
			}
		}
		return rejected;
	}
	// What docs/rollout.md shows ends here.

}
