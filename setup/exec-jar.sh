# Runs a jar as `hadoop jar` does, with its jobs in one process. It is part of ./sluice, and of the launcher of a release,
# for which it is written in the words that any sh has.

# Replaces the shell by Java. JDK_JAVA_OPTIONS may give the JVM more options. class_archive is set where there is one.
exec_jar() { # directory of Java's options, class path, JAR [CLASS] [ARGUMENT...]
  options=$1 class_path=$2
  shift 2
  native=${JAVA_LIBRARY_PATH:-} # as the script hadoop has it
  if [ -n "${HADOOP_HOME:-}" ] && [ -d "$HADOOP_HOME/lib/native" ]; then
    native=${native:+$native:}$HADOOP_HOME/lib/native
  fi
  users=${HADOOP_CLASSPATH:-}
  if [ -n "$users" ] && [ -z "${HADOOP_USE_CLIENT_CLASSLOADER:-}" ]; then # with it, RunJar loads from there by itself
    if [ -n "${HADOOP_USER_CLASSPATH_FIRST:-}" ]; then
      class_path=$options:$users:$class_path # users' settings may say that jobs run on YARN
    else
      class_path=$class_path:$users
    fi
  fi
  exec "$(java_program)" "@$options/java.options" -XX:MaxRAMPercentage=40 \
    ${class_archive:+"-XX:SharedArchiveFile=$class_archive"} ${native:+"-Djava.library.path=$native"} \
    -cp "$class_path" org.apache.hadoop.util.RunJar "$@"
}
