# Starts the packaged sample application on a free port; sourced by scripts that drive it over HTTP.
# Sets port and pid. The application is stopped when the script ends, however it does.

start_sample() { # [arguments of the application]
	local top jars
	top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
	jars=("$top"/sample-app/target/tierlimit-sample-app-*.jar)
	if [ ! -f "${jars[0]}" ]; then
		echo "There is no packaged sample application: run 'mvn verify' first." >&2
		return 1
	fi
	directory=$(mktemp -d)
	pid=
	trap stop_sample EXIT
	trap 'exit 1' HUP INT TERM
	"${JAVA_HOME:+$JAVA_HOME/bin/}java" -jar "${jars[0]}" --server.port=0 "$@" >"$directory/log" 2>&1 </dev/null &
	pid=$!
	port=
	while [ -z "$port" ]; do
		if ! kill -0 "$pid" 2>/dev/null || [ "$SECONDS" -ge 180 ]; then
			cat "$directory/log" >&2
			echo "The sample application did not start." >&2
			return 1
		fi
		sleep 0.2
		port=$(sed -n 's/.*Tomcat started on port \([0-9]*\).*/\1/p' "$directory/log")
	done
	export no_proxy=localhost NO_PROXY=localhost
}

stop_sample() {
	if [ -n "$pid" ]; then
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	fi
	rm -rf "$directory"
}
