package io.sluice.tools;

import io.sluice.rdma.text.ErrorText;
import picocli.CommandLine;

/** Prints the messages of a failed command and of all its causes, and returns status 1. */
public final class Failure {
  private Failure() {}

  /** The handler of exceptions for a command line. */
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
