package io.sluice.tools;

import java.util.Properties;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * The command line of the tools' jar, which needs neither a checkout nor an engine. Exit status 0
 * when all went well, 1 when something failed, 2 for bad usage.
 */
@Command(
    name = "sluice-tools",
    description = "Tools for a node, beside the jar of its engine.",
    mixinStandardHelpOptions = true,
    versionProvider = ToolsVersion.class,
    subcommands = {DoctorCommand.class, NodeServiceCommand.class},
    synopsisSubcommandLabel = "COMMAND")
public final class Tools {
  private Tools() {}

  public static void main(String[] arguments) {
    if (arguments.length > 0 && arguments[0].equals(NodeServiceCommand.NAME)) {
      logAsAService();
    }
    System.exit(commandLine().execute(arguments));
  }

  static CommandLine commandLine() {
    return new CommandLine(new Tools())
        .setParameterExceptionHandler(Failure::refuse)
        .setExecutionExceptionHandler(Failure::report);
  }

  /** Before the first logger is made. A service has only its log to say something. */
  private static void logAsAService() {
    Properties properties = System.getProperties();
    properties.putIfAbsent("org.slf4j.simpleLogger.log.io.sluice", "info");
    properties.putIfAbsent("org.slf4j.simpleLogger.showDateTime", "true");
    properties.putIfAbsent("org.slf4j.simpleLogger.dateTimeFormat", "yyyy-MM-dd HH:mm:ss");
  }
}
