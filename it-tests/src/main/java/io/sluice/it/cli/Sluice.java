package io.sluice.it.cli;

import io.sluice.rdma.Release;
import io.sluice.tools.DoctorCommand;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;

/**
 * The command line: exit status 0 when all went well, 1 when something failed, 2 for bad usage. The
 * script that starts it ends with 3 if something must be installed and nobody has agreed to it.
 */
@Command(
    name = "sluice",
    description = "Hadoop shuffle through memory and RDMA: demonstrate, test, diagnose, measure.",
    mixinStandardHelpOptions = true,
    versionProvider = Sluice.Version.class,
    subcommands = {
      DemoCommand.class,
      TestCommand.class,
      LabCommand.class,
      DoctorCommand.class,
      BenchCommand.class,
      ModelCommand.class,
      SparkSuitesCommand.class,
      ForeignCommand.class,
      MatrixCommand.class
    },
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "run JAR [CLASS] [ARGUMENT...] runs a jar as hadoop jar does, with its jobs in one process.",
      "fetch-spark [VERSION] fetches stock Spark, as test and matrix do for all releases.",
      "--install, with test, lab, demo, bench, model, matrix, foreign and spark-suites, installs what is missing"
          + " without asking; --no-install goes on without it: what runs Spark fails, the rest is"
          + " skipped by name. Without either they ask, and end with status 3 if nobody can be asked."
    })
public final class Sluice {
  private Sluice() {}

  public static void main(String[] arguments) {
    Locale.setDefault(Locale.ROOT); // scripts read results and names, and children what this writes
    System.exit(CommandLines.of(new Sluice()).execute(arguments));
  }

  /** Of the modules that it was built with; this one's classes are in no jar. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {Release.of(Release.class)};
    }
  }
}
