# Starts packaged sample applications on free ports, and a Redis for them; sourced by scripts that drive them over HTTP.
# What was started is stopped when the script ends, however it does.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
directory=$(mktemp -d)
pids=()
options=() # of each JVM
trap stop_all EXIT
trap 'exit 1' HUP INT TERM
export no_proxy=localhost NO_PROXY=localhost

start_sample() { # [arguments of the application]; sets port
	start sample-app/target/tierlimit-sample-app-*[0-9T].jar 's/.*Tomcat started on port \([0-9]*\).*/\1/p' --server.port=0 "$@"
	port=$started
}

start_redis() { # [cluster]; sets redis, the ports in a line
	start testing/redis/target/tierlimit-redis-test-support-*-exec.jar 's/^[0-9][0-9 ]*$/&/p' "$@"
	redis=$started
}

start() { # JAR PATTERN [ARGUMENTS]: runs the jar; sets started to what the pattern prints of its log
	local jar=$top/$1 pattern=$2 log=$directory/log-${#pids[@]}
	shift 2
	jar=$(compgen -G "$jar" | head -n 1)
	if [ -z "$jar" ]; then
		echo "There is nothing packaged yet: run 'mvn verify' first." >&2
		return 1
	fi
	"${JAVA_HOME:+$JAVA_HOME/bin/}java" "${options[@]}" -jar "$jar" "$@" >"$log" 2>&1 </dev/null &
	pids+=($!)
	started=
	local begin=$SECONDS
	while [ -z "$started" ]; do
		if ! kill -0 "${pids[-1]}" 2>/dev/null || [ $((SECONDS - begin)) -ge 180 ]; then
			cat "$log" >&2
			echo "$jar did not start." >&2
			return 1
		fi
		sleep 0.2
		started=$(sed -n "$pattern" "$log")
	done
}

stop_started() {
	local pid
	for pid in "${pids[@]}"; do
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	pids=()
}

stop_all() {
	stop_started
	rm -rf "$directory"
}
