package io.sluice.bench.local;

import io.sluice.bench.Bench;
import io.sluice.bench.Comparison;
import io.sluice.bench.Figure;
import io.sluice.bench.Ratio;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.local.ProcessCosts;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Hone's five applications on one machine, each in some ways in turn, with equal outputs: Tables 5
 * and 7 of the paper with our numbers.
 *
 * <p>Not thread-safe. A failed job or an output that differs is a {@link ClusterException}.
 */
public final class HoneBench {
  private static final Map<String, Integer> SETTINGS = Map.of("mapreduce.job.reduces", 2);

  private final Console console;
  private final HoneClients clients;
  private final List<HoneWorkload> workloads;
  private final HoneWorkload.InputSize size;
  private final Set<HoneVariant> variants;
  private final Comparison<HoneVariant, Map<HoneWorkload, ProcessCosts>> comparison =
      new Comparison<>(
          List.of(
              new Ratio<>(HoneVariant.CLUSTER, HoneVariant.SLUICE),
              new Ratio<>(HoneVariant.STOCK, HoneVariant.SLUICE),
              new Ratio<>(HoneVariant.SPARK, HoneVariant.SLUICE)));

  /** Of some workloads, run by those clients in some ways. */
  public HoneBench(
      Console console,
      HoneClients clients,
      List<HoneWorkload> workloads,
      HoneWorkload.InputSize size,
      Set<HoneVariant> variants) {
    this.console = console;
    this.clients = clients;
    this.workloads = workloads;
    this.size = size;
    this.variants = EnumSet.copyOf(variants);
  }

  private Bench described() {
    String named = size.name().toLowerCase(Locale.ROOT);
    Map<String, Long> records = new LinkedHashMap<>();
    workloads.forEach(workload -> records.put(workload.program(), workload.records(size)));
    List<Figure<Map<HoneWorkload, ProcessCosts>>> figures =
        workloads.stream()
            .map(workload -> LocalFigure.WALL.ofCase(workload.program(), workload))
            .toList();
    return Bench.of(
            "bench-hone-" + named,
            () ->
                "Hone's applications, %s inputs, wall of the client, rounds: %d"
                    .formatted(named, comparison.rounds().size()))
        .data("records", () -> records)
        .data("rounds", comparison::rounds)
        .table("", () -> comparison.table(figures))
        .maybePlot("", title -> comparison.plot(title, "wall, in per cent of Sluice's", figures));
  }

  /** Runs all rounds and writes the results. */
  public void run(int rounds, ResultFiles results) {
    Map<HoneWorkload, Path> inputs = new EnumMap<>(HoneWorkload.class);
    for (HoneWorkload workload : workloads) {
      inputs.put(
          workload,
          console.step(
              "Input of " + workload.program(),
              () ->
                  clients.generate(
                      workload.program(), workload.generator(), workload.records(size))));
    }
    described()
        .run(
            rounds,
            round ->
                comparison.add(
                    Bench.inTurn(
                        workloads,
                        variants,
                        (workload, variant) ->
                            console.step(
                                workload.program() + ", " + variant.title(),
                                () ->
                                    clients.run(
                                        variant,
                                        workload.program(),
                                        SETTINGS,
                                        inputs.get(workload),
                                        workload.more())),
                        HoneWorkload::program,
                        (workload, variant) -> clients.takeOutput(workload.program(), variant))),
            console,
            results);
  }
}
