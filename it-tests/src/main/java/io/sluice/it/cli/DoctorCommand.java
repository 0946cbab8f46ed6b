package io.sluice.it.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.sluice.it.doctor.Doctor;
import io.sluice.it.doctor.Finding;
import io.sluice.it.report.Console;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sluice doctor}: status 1 if something keeps Sluice from working at all. */
@Command(
    name = "doctor",
    description = "Says in plain words what this machine offers to Sluice and what it lacks.",
    mixinStandardHelpOptions = true)
final class DoctorCommand implements Callable<Integer> {
  @Option(names = "--json", description = "Say it as JSON.")
  private boolean json;

  @Option(
      names = "--pool-dir",
      defaultValue = "/dev/shm",
      description = "Where the pool shall be (default: ${DEFAULT-VALUE}).")
  private Path poolDirectory;

  @Override
  public Integer call() throws JsonProcessingException {
    List<Finding> findings = Doctor.examine(poolDirectory);
    Console console = Console.standard();
    if (json) {
      ObjectMapper mapper = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
      console.say(mapper.writeValueAsString(findings));
    } else {
      findings.forEach(
          finding ->
              console.say(
                  "%-8s %s: %s".formatted(finding.state(), finding.subject(), finding.text())));
    }
    return findings.stream().anyMatch(finding -> finding.state() == Finding.State.BROKEN) ? 1 : 0;
  }
}
