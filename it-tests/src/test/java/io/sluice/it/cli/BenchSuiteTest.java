package io.sluice.it.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.cli.AllBenchCommand.BenchSuite;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

/** What {@code bench all} runs. */
class BenchSuiteTest {
  private static final int QUICK_S = 20 * 60;

  /** The name of the bench that some arguments run. */
  private static String parsed(CommandLine bench, List<String> arguments) {
    ParseResult result = bench.parseArgs(arguments.toArray(String[]::new));
    return result.hasSubcommand() ? result.subcommand().commandSpec().name() : "";
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void everyBenchIsThereAndTakesItsArguments(boolean quick) {
    CommandLine bench = Sluice.commandLine(new BenchCommand());
    Set<String> missing = new TreeSet<>(bench.getSubcommands().keySet());
    missing.removeAll(Set.of("all", "micro", "redraw"));
    Arrays.stream(BenchSuite.values())
        .map(suite -> suite.arguments(quick))
        .filter(arguments -> !arguments.isEmpty())
        .forEach(arguments -> missing.remove(parsed(bench, arguments)));
    assertEquals(quick ? Set.of("rmr-sizes") : Set.of(), missing);
  }

  @Test
  void onlyWhatOthersShowAndEncryptionIsLeftOutQuickly() {
    assertEquals(
        EnumSet.of(BenchSuite.TERASORT, BenchSuite.ENCRYPTED, BenchSuite.RMR_SIZES),
        Arrays.stream(BenchSuite.values())
            .filter(suite -> suite.arguments(true).isEmpty())
            .collect(Collectors.toSet()));
  }

  @Test
  void allQuickOnesEndInTwentyMinutes() {
    int expectedS =
        Arrays.stream(BenchSuite.values()).mapToInt(suite -> suite.expectedS(true)).sum();
    assertTrue(expectedS <= QUICK_S, expectedS + " s");
  }
}
