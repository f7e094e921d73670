# Sets java and classpath, to run a class of this module; sourced by the scripts.

java=${JAVA_HOME:+$JAVA_HOME/bin/}java
classpath=benchmarks/target/classes:benchmarks/target/libraries/*
if [ ! -d benchmarks/target/libraries ]; then
	echo "There is nothing packaged yet: run 'mvn verify' first." >&2
	exit 1
fi
