# Runs a jar as `hadoop jar` does, with its jobs in one process, and makes the archive of classes that such processes start
# with. It is part of ./sluice.

class_archive=$root/target/run/classes.jsa

# Stock's released jars and the engine's. An archive of classes works only for a class path that begins so.
engine_class_path() {
  local engine
  for engine in "$root"/jars/hadoop/target/sluice-hadoop-*.jar; do
    case $engine in *-sources.jar | *-javadoc.jar | *-tests.jar) ;; *) break ;; esac
  done
  echo "$root/it-tests/distribution/target/hadoop-3.5.0/lib/*:$engine"
}

# Runs a small job, and keeps what the JVM has made of its classes. The environment's options for Java are for users' jobs:
# they may make it wait for a debugger, or make no archive.
archive_classes() ( # directory
  examples=("$root"/it-tests/distribution/target/hadoop-3.5.0/lib/hadoop-mapreduce-examples-*.jar)
  mkdir -p "$1" || exit
  find "$1" -maxdepth 1 -name 'making.*' -mmin +10 -exec rm -rf {} + # of shells that were killed; one has 2.5 min
  work=$(mktemp -d "$1/making.XXXXXX") || exit
  trap 'rm -rf "$work"' EXIT
  trap 'exit 143' TERM # when Java has ended: it would make the directory again
  timeout --foreground -k 30s 2m env -u JDK_JAVA_OPTIONS -u JAVA_TOOL_OPTIONS \
    "$(java_program)" "@$root/docs/conf/local/java.options" -Xmx512m -XX:ArchiveClassesAtExit="$work/classes.jsa" \
    -cp "$(engine_class_path)" org.apache.hadoop.util.RunJar "${examples[0]}" wordcount -Dmapreduce.framework.name=sluice \
    -Dhadoop.tmp.dir="$work/tmp" "file:$root/README.md" "file:$work/words" >"$1/log" 2>&1 &&
    mv -f "$work/classes.jsa" "$class_archive"
)

# Once per build: each start takes half a second less with it.
make_class_archive() {
  local directory=${class_archive%/*}
  if [ "$class_archive" -nt "$stamp" ]; then return; fi
  echo "sluice: making an archive of classes in $directory, once per build; this takes some 20 seconds ..." >&2
  archive_classes "$directory" ||
    echo "sluice: no archive of classes could be made in $directory; without it a start takes half a second longer" >&2
}

run_jar() { # JAR [CLASS] [ARGUMENT...]
  make_class_archive
  exec_jar "$root/docs/conf/local" "$(engine_class_path):$root/docs/conf/local" "$@"
}
