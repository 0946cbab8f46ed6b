package io.sluice.tools;

import io.sluice.rdma.text.ErrorText;
import picocli.CommandLine;

/** The ends of a command that fails, and of one that refuses its arguments. */
public final class Failure {
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
