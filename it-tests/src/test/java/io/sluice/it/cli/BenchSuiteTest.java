package io.sluice.it.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
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
    CommandLine bench = new CommandLine(new BenchCommand());
    Set<String> missing = new TreeSet<>(bench.getSubcommands().keySet());
    missing.removeAll(Set.of("all", "micro", "redraw"));
    Arrays.stream(BenchSuite.values())
        .forEach(suite -> missing.remove(parsed(bench, suite.arguments(quick))));
    assertEquals(Set.of(), missing);
  }

  @Test
  void allQuickOnesEndInTwentyMinutes() {
    int expectedS =
        Arrays.stream(BenchSuite.values()).mapToInt(suite -> suite.expectedS(true)).sum();
    assertTrue(expectedS <= QUICK_S, expectedS + " s");
  }
}
