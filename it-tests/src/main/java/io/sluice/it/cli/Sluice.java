package io.sluice.it.cli;

import io.sluice.tools.DoctorCommand;
import io.sluice.tools.Tools.Failure;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * The commands of a checkout that run in a JVM, behind the launcher. The launcher prints help texts
 * ({@code setup/help}), which repeat what the options here say of themselves.
 *
 * <p>Exit status: 0 when all went well, 1 when something failed, 2 for bad arguments. The launcher
 * ends with 3 if something must be installed and nobody has agreed to it.
 */
@Command(
    name = "./sluice",
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
    synopsisSubcommandLabel = "COMMAND")
public final class Sluice {
  private Sluice() {}

  public static void main(String[] arguments) {
    Locale.setDefault(Locale.ROOT); // scripts read results and names, and children what this writes
    System.exit(commandLine(new Sluice()).execute(arguments));
  }

  /**
   * A command and those below it; names of engines, workloads and parts are read in either case.
   */
  static CommandLine commandLine(Object command) {
    return new CommandLine(command)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setParameterExceptionHandler(Failure::refuse)
        .setExecutionExceptionHandler(Failure::report);
  }
}
