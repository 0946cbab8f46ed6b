package io.sluice.it.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.sluice.it.doctor.Doctor;
import io.sluice.it.doctor.Finding;
import io.sluice.it.doctor.HostPort;
import io.sluice.it.doctor.Probe;
import io.sluice.it.doctor.ProbeService;
import io.sluice.it.report.Console;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code sluice doctor}: status 1 if something keeps Sluice from working at all, or a probe found
 * no transport that works.
 */
@Command(
    name = "doctor",
    description =
        "Says in plain words what this machine offers to Sluice, what it lacks and what mends it;"
            + " or tries the way to another host's node service.",
    mixinStandardHelpOptions = true)
final class DoctorCommand implements Callable<Integer> {
  @Option(names = "--json", description = "Say it as JSON.")
  private boolean json;

  @Option(
      names = "--pool",
      paramLabel = "PATH",
      description = "Also look at this directory or device as the place of a pool; repeatable.")
  private List<Path> pools = new ArrayList<>();

  @ArgGroup(exclusive = true)
  private OtherHost otherHost;

  private static final class OtherHost {
    @Option(
        names = "--probe",
        paramLabel = "HOST[:PORT]",
        converter = HostPortConverter.class,
        description =
            "Read from that host's node service over every transport, and say how fast it is"
                + " (port: that of the control connections, by default "
                + HostPort.DEFAULT_PORT
                + ").")
    private HostPort probed;

    @Option(
        names = "--serve",
        paramLabel = "PORT",
        arity = "0..1",
        fallbackValue = "" + HostPort.DEFAULT_PORT,
        description =
            "Be a node service that can be probed, without a cluster, until interrupted; port 0"
                + " takes a free one (default: ${FALLBACK-VALUE}).")
    private Integer servedPort;
  }

  @Override
  public Integer call() throws IOException {
    Console console = Console.standard();
    if (otherHost == null) {
      return examine(console);
    }
    if (otherHost.probed == null) {
      ProbeService.serve(otherHost.servedPort, console);
      return 0;
    }
    Probe probe = Probe.of(otherHost.probed);
    console.say(json ? toJson(probe) : probe.toText());
    return probe.anyWorks() ? 0 : 1;
  }

  private int examine(Console console) throws JsonProcessingException {
    List<Finding> findings = Doctor.examine(pools);
    if (json) {
      console.say(toJson(Map.of("findings", findings)));
    } else {
      findings.forEach(finding -> console.say(finding.toText()));
    }
    return findings.stream().anyMatch(finding -> finding.level() == Finding.Level.BROKEN) ? 1 : 0;
  }

  private static String toJson(Object value) throws JsonProcessingException {
    return new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValueAsString(value);
  }
}
