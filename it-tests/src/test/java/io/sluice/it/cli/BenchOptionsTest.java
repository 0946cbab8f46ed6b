package io.sluice.it.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.bench.hadoop.RmrWorkload;
import io.sluice.bench.hadoop.RmrWorkload.RmrVariant;
import io.sluice.bench.local.ExchangeBench.ExchangeShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** Options of the benches of one process, as they are typed. */
class BenchOptionsTest {
  private static CommandLine parsed(String name, String... options) {
    CommandLine bench = Sluice.commandLine(new BenchCommand());
    CommandLine command = bench.getSubcommands().get(name);
    String[] all = Stream.concat(Stream.of(name), Stream.of(options)).toArray(String[]::new);
    bench.parseArgs(all);
    return command;
  }

  private static Object value(CommandLine command, String option) {
    OptionSpec spec = command.getCommandSpec().findOption(option);
    return spec.getValue();
  }

  @Test
  void sizesAndRunsAreThoseThatAreGiven() {
    for (String name : List.of("chain", "scaling", "exchange", "local")) {
      CommandLine command = parsed(name, "--size", "64m", "--runs", "2");
      assertEquals(64_000_000L, (Long) value(command, "--size"), name);
      assertEquals(2, (Integer) value(command, "--runs"), name);
    }
  }

  @Test
  void enginesAndWorkloadsAreTypedInEitherCase() {
    CommandLine command =
        parsed("rmr-nvm", "--engines", "tuned,Archive", "--workload", "k_means,SORT");
    assertEquals(Set.of(RmrVariant.TUNED, RmrVariant.ARCHIVE), value(command, "--engines"));
    assertEquals(List.of(RmrWorkload.K_MEANS, RmrWorkload.SORT), value(command, "--workload"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "many", "3000000000"})
  void runsAreAtLeastOne(String runs) {
    List<String> benches =
        new ArrayList<>(List.of("chain", "codecs", "crowd", "exchange", "hone", "local", "memory"));
    benches.addAll(
        List.of(
            "pagerank",
            "rmr-nvm",
            "rmr-sizes",
            "scaling",
            "spark",
            "store-scale",
            "synthetic",
            "waiting"));
    for (String name : benches) {
      ParameterException e =
          assertThrows(ParameterException.class, () -> parsed(name, "--runs", runs), name);
      assertTrue(e.getMessage().contains("not a number from 1 on"), e.getMessage());
    }
  }

  @Test
  void shapesHaveADefaultAndCanBeGiven() {
    assertEquals(
        List.of(
            new ExchangeShape(8, 2),
            new ExchangeShape(64, 8),
            new ExchangeShape(512, 16),
            new ExchangeShape(2000, 32)),
        value(parsed("exchange"), "--shapes"));
    assertEquals(
        List.of(new ExchangeShape(4, 1), new ExchangeShape(5, 2)),
        value(parsed("exchange", "--shapes", "4x1,5x2"), "--shapes"));
  }

  @Test
  void aWrongShapeIsSaid() {
    ParameterException e =
        assertThrows(ParameterException.class, () -> parsed("exchange", "--shapes", "4"));
    assertTrue(e.getMessage().contains("such as 64x8"), e.getMessage());
  }
}
