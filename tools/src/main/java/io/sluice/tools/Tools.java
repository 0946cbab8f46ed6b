package io.sluice.tools;

import io.sluice.rdma.Release;
import java.util.Properties;
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
    versionProvider = Tools.ToolsVersion.class,
    subcommands = {DoctorCommand.class, NodeServiceCommand.class},
    synopsisSubcommandLabel = "COMMAND")
public final class Tools {
  private Tools() {}

  public static void main(String[] arguments) {
    if (arguments.length > 0 && arguments[0].equals(NodeServiceCommand.NAME)) {
      logAsAService();
    }
    System.exit(
        new CommandLine(new Tools())
            .setExecutionExceptionHandler(Failure::report)
            .execute(arguments));
  }

  /** Before the first logger is made. A doctor says what he finds; a service has its log alone. */
  private static void logAsAService() {
    Properties properties = System.getProperties();
    properties.putIfAbsent("org.slf4j.simpleLogger.log.io.sluice", "info");
    properties.putIfAbsent("org.slf4j.simpleLogger.showDateTime", "true");
    properties.putIfAbsent("org.slf4j.simpleLogger.dateTimeFormat", "yyyy-MM-dd HH:mm:ss");
  }

  /** What the manifest of the jar says. */
  static final class ToolsVersion implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {Release.of(ToolsVersion.class)};
    }
  }
}
