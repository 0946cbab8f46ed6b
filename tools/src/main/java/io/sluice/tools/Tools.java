package io.sluice.tools;

import io.sluice.rdma.Release;
import io.sluice.rdma.text.ErrorText;
import java.util.Properties;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;

/**
 * The command line of the tools' jar, which needs neither a checkout nor Hadoop nor Spark. The exit
 * status is 0 for success, 1 for a failure, 2 for bad usage.
 */
@Command(
    description = "Checks a machine for Sluice, and runs a node's service.",
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
    System.exit(commandLine().execute(arguments));
  }

  static CommandLine commandLine() {
    return new CommandLine(new Tools())
        .setCommandName(System.getProperty("sluice.command", "sluice-tools")) // as it was called
        .setParameterExceptionHandler(Failure::refuse)
        .setExecutionExceptionHandler(Failure::report);
  }

  /**
   * Turns on the log lines of a service, before the first logger is made. The doctor prints its
   * findings instead.
   */
  private static void logAsAService() {
    Properties properties = System.getProperties();
    properties.putIfAbsent("org.slf4j.simpleLogger.log.io.sluice", "info");
    properties.putIfAbsent("org.slf4j.simpleLogger.showDateTime", "true");
    properties.putIfAbsent("org.slf4j.simpleLogger.dateTimeFormat", "yyyy-MM-dd HH:mm:ss");
  }

  /** The version in the jar's manifest. */
  static final class ToolsVersion implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {Release.of(ToolsVersion.class)};
    }
  }

  /** The ends of a command that fails, and of one that refuses its arguments. */
  public static final class Failure {
    private Failure() {}

    /** Says in one line what is wrong with the arguments, and where help is; status 2. */
    public static int refuse(CommandLine.ParameterException refusal, String[] arguments) {
      CommandLine commandLine = refusal.getCommandLine();
      commandLine
          .getErr()
          .println(
              refusal.getMessage()
                  + "; see "
                  + commandLine.getCommandSpec().qualifiedName()
                  + " --help");
      return CommandLine.ExitCode.USAGE;
    }

    /** Prints the messages of a failed command and of all its causes; status 1. */
    public static int report(
        Exception failure, CommandLine commandLine, CommandLine.ParseResult parseResult) {
      commandLine.getErr().println("FAILED: " + ErrorText.of(failure));
      for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
        commandLine.getErr().println("  because: " + ErrorText.of(cause));
      }
      if (System.getenv("SLUICE_TRACE") != null) {
        failure.printStackTrace(commandLine.getErr());
      }
      return CommandLine.ExitCode.SOFTWARE;
    }
  }
}
