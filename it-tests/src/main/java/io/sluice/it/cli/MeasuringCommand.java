package io.sluice.it.cli;

import io.sluice.it.cli.SharedOptions.CountConverter;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A bench with rounds, whose results go to the workspace. */
abstract class MeasuringCommand implements Callable<Integer> {
  /** Describes the option {@code --engines} of benches that measure variants beside stock. */
  static final String ENGINES =
      "Variants to measure, STOCK always among them: ${COMPLETION-CANDIDATES} (default: all).";

  @Option(
      names = "--runs",
      paramLabel = "COUNT",
      converter = CountConverter.class,
      defaultValue = "5",
      description = "How often each variant runs (default: ${DEFAULT-VALUE}).")
  private int runs; // the spread of fewer than five says little

  @Spec private CommandSpec spec;

  /** Runs the bench; a failure is an exception. */
  abstract void run(Workspace workspace, Console console, int rounds, ResultFiles results)
      throws Exception;

  @Override
  public final Integer call() throws Exception {
    Workspace workspace = Workspace.find();
    run(workspace, Console.standard(), runs, new ResultFiles(workspace.results()));
    return 0;
  }

  /** Says that the arguments cannot be. */
  final ParameterException refusal(String why) {
    return new ParameterException(spec.commandLine(), why);
  }

  /** Refuses variants that the bench cannot run. */
  final <E extends Enum<E>> void check(Set<E> asked, Set<E> possible) {
    for (E engine : asked) {
      if (!possible.contains(engine)) {
        throw refusal("this bench has no " + engine + ", only " + possible);
      }
    }
  }

  /** The variants that were asked for, and stock. */
  static <E extends Enum<E>> Set<E> withStock(E stock, Set<E> asked) {
    Set<E> all = EnumSet.of(stock);
    all.addAll(asked);
    return all;
  }
}
