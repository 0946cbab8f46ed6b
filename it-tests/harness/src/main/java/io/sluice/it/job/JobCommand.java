package io.sluice.it.job;

import java.util.ArrayList;
import java.util.List;

/** The arguments of {@code hadoop jar} for a job. */
final class JobCommand {
  private JobCommand() {}

  static List<String> arguments(JobSpec spec) {
    List<String> arguments = new ArrayList<>();
    arguments.add(spec.jar().toString());
    arguments.add(spec.program());
    spec.settings().forEach((key, value) -> arguments.add("-D" + key + "=" + value));
    arguments.addAll(spec.arguments());
    return arguments;
  }
}
