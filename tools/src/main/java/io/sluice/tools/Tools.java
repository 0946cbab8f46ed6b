package io.sluice.tools;

import io.sluice.rdma.Release;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;

/**
 * The command line of the tools' jar, which needs neither a checkout nor an engine. Exit status 0
 * when all went well, 1 when something failed, 2 for bad usage.
 */
@Command(
    name = "sluice-tools",
    description = "What a node needs of Sluice besides the jar of its engine.",
    mixinStandardHelpOptions = true,
    versionProvider = Tools.Version.class,
    subcommands = DoctorCommand.class,
    synopsisSubcommandLabel = "COMMAND")
public final class Tools {
  private Tools() {}

  public static void main(String[] arguments) {
    System.exit(
        new CommandLine(new Tools())
            .setExecutionExceptionHandler(Failure::report)
            .execute(arguments));
  }

  /** What the manifest of the jar says. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {Release.of(Tools.class)};
    }
  }
}
