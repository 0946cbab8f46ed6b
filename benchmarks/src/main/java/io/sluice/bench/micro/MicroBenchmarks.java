package io.sluice.bench.micro;

import io.sluice.bench.ResultPage;
import io.sluice.it.report.Machine;
import io.sluice.rdma.TransportChooser;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.tools.text.TextTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/** Runs the benchmarks of this package, each in a JVM of its own. */
public final class MicroBenchmarks {
  private static final String GC_TIME = "gc.time";

  private MicroBenchmarks() {}

  /**
   * Runs those whose names match, and says what they took.
   *
   * @param pattern looked for in {@code io.sluice.bench.micro.SortBenchmark.collect} and the like
   */
  public static ResultPage run(String pattern) throws RunnerException {
    return page(
        new Runner(
                new OptionsBuilder()
                    .include(pattern)
                    .param("provider", providers())
                    .addProfiler(GCProfiler.class)
                    .shouldFailOnError(true)
                    .build())
            .run());
  }

  private static String[] providers() {
    return TransportChooser.standard().providers().stream()
        .filter(TransportProvider::isAvailable)
        .map(TransportProvider::name)
        .toArray(String[]::new);
  }

  static ResultPage page(Collection<RunResult> results) {
    TextTable table =
        new TextTable(
            List.of("benchmark", "with", "mean", "99.9 %", "unit", "garbage collection, ms"));
    List<Map<String, Object>> data = new ArrayList<>();
    for (RunResult result : results) {
      Result<?> score = result.getPrimaryResult();
      Result<?> gc = result.getSecondaryResults().get(GC_TIME); // null: there was none
      double gcMs = gc == null ? 0 : gc.getScore();
      Map<String, String> parameters = parameters(result.getParams());
      String name = name(result.getParams());
      table.add(
          List.of(
              name,
              parameters.entrySet().stream()
                  .map(each -> each.getKey() + " " + each.getValue())
                  .collect(Collectors.joining(", ")),
              "%.2f".formatted(score.getScore()),
              "± %.2f".formatted(score.getScoreError()),
              score.getScoreUnit(),
              "%.0f".formatted(gcMs)));
      Map<String, Object> each = new LinkedHashMap<>();
      each.put("benchmark", name);
      each.put("parameters", parameters);
      each.put("mean", score.getScore());
      each.put("error", score.getScoreError());
      each.put("unit", score.getScoreUnit());
      each.put("gcMs", gcMs);
      data.add(each);
    }
    return new ResultPage(
        "bench-micro",
        "Single steps of the data path",
        Machine.here(),
        Map.of("benchmarks", data),
        Map.of("", table),
        List.of("Garbage collection is that of all measured iterations together."),
        Map.of());
  }

  private static String name(BenchmarkParams parameters) {
    return parameters
        .getBenchmark()
        .substring(MicroBenchmarks.class.getPackageName().length() + 1)
        .replace("Benchmark", "");
  }

  private static Map<String, String> parameters(BenchmarkParams parameters) {
    Map<String, String> all = new LinkedHashMap<>();
    parameters.getParamsKeys().forEach(key -> all.put(key, parameters.getParam(key)));
    return all;
  }
}
