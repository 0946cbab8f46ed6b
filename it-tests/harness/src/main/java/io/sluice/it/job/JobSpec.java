package io.sluice.it.job;

import io.sluice.it.cluster.HadoopDistribution;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A job as {@code hadoop jar} gets it.
 *
 * @param name for people: progress lines and messages
 * @param jar the job's jar
 * @param program the name or main class of the program in it
 * @param settings passed as {@code -D}
 * @param arguments the program's own
 * @param deadline after which the job is given up
 * @param user whose job it is; of the user that starts it if empty
 */
public record JobSpec(
    String name,
    Path jar,
    String program,
    Map<String, String> settings,
    List<String> arguments,
    Duration deadline,
    Optional<String> user) {
  private static final Duration DEADLINE = Duration.ofMinutes(30);

  public JobSpec(
      String name,
      Path jar,
      String program,
      Map<String, String> settings,
      List<String> arguments,
      Duration deadline) {
    this(name, jar, program, settings, arguments, deadline, Optional.empty());
  }

  /** One of Hadoop's own MapReduce examples. */
  public static JobSpec example(
      HadoopDistribution distribution, String name, String program, String... arguments) {
    return new JobSpec(
        name, distribution.examplesJar(), program, Map.of(), List.of(arguments), DEADLINE);
  }

  public JobSpec with(Map<String, String> more) {
    Map<String, String> all = new LinkedHashMap<>(settings);
    all.putAll(more);
    return new JobSpec(name, jar, program, all, arguments, deadline, user);
  }

  public JobSpec with(String key, Object value) {
    return with(Map.of(key, value.toString()));
  }

  public JobSpec withDeadline(Duration other) {
    return new JobSpec(name, jar, program, settings, arguments, other, user);
  }

  /** The same job of another user. */
  public JobSpec as(String other) {
    return new JobSpec(name, jar, program, settings, arguments, deadline, Optional.of(other));
  }

  /** The arguments of {@code hadoop jar}. */
  List<String> commandLine() {
    List<String> words = new ArrayList<>(List.of(jar.toString(), program));
    settings.forEach((key, value) -> words.add("-D" + key + "=" + value));
    words.addAll(arguments);
    return words;
  }
}
