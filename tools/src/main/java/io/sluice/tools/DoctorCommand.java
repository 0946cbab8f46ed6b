package io.sluice.tools;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.sluice.tools.Tools.ToolsVersion;
import io.sluice.tools.doctor.Doctor;
import io.sluice.tools.doctor.Finding;
import io.sluice.tools.doctor.LibraryLogs;
import io.sluice.tools.doctor.Probe;
import io.sluice.tools.doctor.Probe.HostPort;
import io.sluice.tools.doctor.ProbeService;
import io.sluice.tools.site.ClusterDoctor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/**
 * {@code doctor}: status 1 if something keeps Sluice from working at all, or a probe found no
 * transport that works.
 */
@Command(
    name = "doctor",
    description =
        "Says in plain words what this machine offers to Sluice, what it lacks and what fixes it;"
            + " or tries the way to another host's node service.",
    mixinStandardHelpOptions = true,
    versionProvider = ToolsVersion.class)
public final class DoctorCommand implements Callable<Integer> {
  @Option(names = "--json", description = "Say it as JSON.")
  private boolean json;

  @Option(
      names = "--pool",
      paramLabel = "PATH",
      description = "Also look at this directory or device as the place of a pool; repeatable.")
  private List<Path> pools = new ArrayList<>();

  @Option(
      names = "--hadoop-conf",
      paramLabel = "DIR",
      description =
          "Instead of this machine look at the site files of Hadoop in this directory: what is"
              + " missing or wrong in them for Sluice, and what to write.")
  private Path hadoopConf; // null: not asked for

  @Option(
      names = "--spark-conf",
      paramLabel = "DIR",
      description = "The same of spark-defaults.conf in this directory.")
  private Path sparkConf; // null: not asked for

  @Spec private CommandSpec spec;

  @ArgGroup(exclusive = true)
  private OtherHost otherHost;

  private static final class OtherHost {
    @Option(
        names = "--probe",
        paramLabel = "HOST[:PORT]",
        converter = HostPortConverter.class,
        description =
            "Read from that host's node service over every transport, and say how fast it is"
                + " (port: that of the control connections; by default "
                + HostPort.DEFAULT_PORT
                + ", a NodeManager's; that of node-service is 13600).")
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
    LibraryLogs.toStandardError();
    if (hadoopConf != null || sparkConf != null) {
      return report(examineFiles());
    }
    if (otherHost == null) {
      return report(Doctor.examine(pools));
    }
    if (otherHost.probed == null) {
      ProbeService.serve(otherHost.servedPort);
      return 0;
    }
    Probe probe = Probe.of(otherHost.probed);
    System.out.println(json ? toJson(probe) : probe.toText());
    return probe.anyWorks() ? 0 : 1;
  }

  private List<Finding> examineFiles() {
    if (otherHost != null || !pools.isEmpty()) {
      throw misuse("--hadoop-conf and --spark-conf look at files, not at hosts or pools");
    }
    List<Finding> findings = new ArrayList<>();
    for (Path directory : Arrays.asList(hadoopConf, sparkConf)) {
      if (directory != null && !Files.isDirectory(directory)) {
        throw misuse(directory + " is no directory");
      }
    }
    if (hadoopConf != null) {
      findings.addAll(ClusterDoctor.hadoop(hadoopConf));
    }
    if (sparkConf != null) {
      findings.addAll(ClusterDoctor.spark(sparkConf));
    }
    return findings;
  }

  private ParameterException misuse(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  private int report(List<Finding> findings) throws JsonProcessingException {
    if (json) {
      System.out.println(toJson(Map.of("findings", findings)));
    } else {
      findings.forEach(finding -> System.out.println(finding.toText()));
    }
    return findings.stream().anyMatch(finding -> finding.level() == Finding.Level.BROKEN) ? 1 : 0;
  }

  private static String toJson(Object value) throws JsonProcessingException {
    return new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValueAsString(value);
  }

  /** Other hosts' services on the command line. */
  static final class HostPortConverter implements ITypeConverter<HostPort> {
    @Override
    public HostPort convert(String text) {
      try {
        return HostPort.parse(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }
}
