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
import io.sluice.tools.doctor.Probe.ProbeService;
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
 * The command {@code doctor}. Its exit status is 1 if a finding is BROKEN, or if no transport works
 * in a probe.
 */
@Command(
    name = "doctor",
    description =
        "Reports what Sluice can use on this machine, what is missing, and how to fix it."
            + " Can also examine configuration files, or read from another host's node service.",
    mixinStandardHelpOptions = true,
    versionProvider = ToolsVersion.class)
public final class DoctorCommand implements Callable<Integer> {
  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Option(
      names = "--pool",
      paramLabel = "PATH",
      description = "Also examine this directory or device as a candidate for a pool; repeatable.")
  private List<Path> pools = new ArrayList<>();

  @Option(
      names = "--hadoop-conf",
      paramLabel = "DIR",
      description =
          "Examine Hadoop's site files in this directory, instead of this machine. Report what is"
              + " missing or wrong for Sluice, and what to write.")
  private Path hadoopConf; // null: not given

  @Option(
      names = "--spark-conf",
      paramLabel = "DIR",
      description = "Examine spark-defaults.conf in this directory, instead of this machine.")
  private Path sparkConf; // null: not given

  @Spec private CommandSpec spec;

  @ArgGroup(exclusive = true)
  private OtherHost otherHost;

  private static final class OtherHost {
    @Option(
        names = "--probe",
        paramLabel = "HOST[:PORT]",
        converter = HostPortConverter.class,
        description =
            "Read from this host's node service over every transport, and report the speed."
                + " PORT is the control port: by default "
                + HostPort.DEFAULT_PORT
                + ", a NodeManager's; node-service listens at 13600.")
    private HostPort probed;

    @Option(
        names = "--serve",
        paramLabel = "PORT",
        arity = "0..1",
        fallbackValue = "" + HostPort.DEFAULT_PORT,
        description =
            "Run a node service that other hosts can probe, without a cluster, until interrupted."
                + " Port 0 takes a free one (default: ${FALLBACK-VALUE}).")
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
      throw misuse(
          "--hadoop-conf and --spark-conf examine files; they exclude --probe, --serve and --pool");
    }
    List<Finding> findings = new ArrayList<>();
    for (Path directory : Arrays.asList(hadoopConf, sparkConf)) {
      if (directory != null && !Files.isDirectory(directory)) {
        throw misuse(directory + " is not a directory");
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

  /** Parses the address of another host's service. */
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
