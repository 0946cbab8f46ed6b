package io.sluice.bench.local;

import io.sluice.bench.Comparison;
import io.sluice.bench.Figure;
import io.sluice.bench.Plot;
import io.sluice.bench.Ratio;
import io.sluice.bench.ResultPage;
import io.sluice.bench.SameOutput;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.local.ProcessCosts;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.nio.file.Path;
import java.util.ArrayList;
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
  private static final Ratio<HoneVariant> TO_CLUSTER =
      new Ratio<>(HoneVariant.CLUSTER, HoneVariant.SLUICE);
  private static final List<Ratio<HoneVariant>> RATIOS =
      List.of(
          TO_CLUSTER,
          new Ratio<>(HoneVariant.STOCK, HoneVariant.SLUICE),
          new Ratio<>(HoneVariant.SPARK, HoneVariant.SLUICE));

  private static final Map<String, Integer> SETTINGS = Map.of("mapreduce.job.reduces", 2);

  private final Console console;
  private final HoneClients clients;
  private final List<HoneWorkload> workloads;
  private final HoneSize size;
  private final Set<HoneVariant> variants;

  /** Of some workloads, run by those clients in some ways. */
  public HoneBench(
      Console console,
      HoneClients clients,
      List<HoneWorkload> workloads,
      HoneSize size,
      Set<HoneVariant> variants) {
    this.console = console;
    this.clients = clients;
    this.workloads = workloads;
    this.size = size;
    this.variants = EnumSet.copyOf(variants);
  }

  /** Runs all rounds and writes the results, after each workload anew. */
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
    Comparison<HoneVariant, Map<HoneWorkload, ProcessCosts>> comparison = new Comparison<>(RATIOS);
    for (int round = 1; round <= rounds; round++) {
      Map<HoneVariant, Map<HoneWorkload, ProcessCosts>> costs = new EnumMap<>(HoneVariant.class);
      for (HoneVariant variant : variants) {
        costs.put(variant, new EnumMap<>(HoneWorkload.class));
      }
      for (HoneWorkload workload : workloads) {
        run(workload, inputs.get(workload), costs);
      }
      comparison.add(costs);
      results(comparison).write(results); // it may be ended before the last
    }
    ResultPage all = results(comparison);
    all.show(console, results);
  }

  private void run(
      HoneWorkload workload, Path input, Map<HoneVariant, Map<HoneWorkload, ProcessCosts>> costs) {
    SameOutput<LinesDigest> same = new SameOutput<>(workload.program());
    for (HoneVariant variant : variants) {
      Path output = clients.output(workload.program(), variant);
      costs
          .get(variant)
          .put(
              workload,
              console.step(
                  workload.program() + ", " + variant.title(),
                  () ->
                      clients.run(
                          variant, workload.program(), SETTINGS, input, output, workload.more())));
      same.add(variant.title(), LinesDigest.of(output));
      Workspace.delete(output);
    }
  }

  private static Figure<Map<HoneWorkload, ProcessCosts>> wall(HoneWorkload workload) {
    return new Figure<>(
        workload.program(),
        costs -> costs.get(workload).wallMs(),
        ms -> "%.1f s".formatted(ms / 1e3));
  }

  private ResultPage results(Comparison<HoneVariant, Map<HoneWorkload, ProcessCosts>> comparison) {
    String title =
        "Hone's applications, %s inputs, wall of the client, rounds: %d"
            .formatted(size.name().toLowerCase(Locale.ROOT), comparison.rounds().size());
    Map<String, Object> records = new LinkedHashMap<>();
    List<Figure<Map<HoneWorkload, ProcessCosts>>> figures = new ArrayList<>();
    for (HoneWorkload workload : workloads) {
      figures.add(wall(workload));
      records.put(workload.program(), workload.records(size));
    }
    Map<String, Plot> plots = new LinkedHashMap<>();
    comparison
        .plot(title, "wall, in per cent of Sluice's", figures)
        .ifPresent(plot -> plots.put("", plot));
    return ResultPage.ofRounds(
        "bench-hone-" + size.name().toLowerCase(Locale.ROOT),
        title,
        Map.of("records", records),
        comparison.rounds(),
        comparison.table(figures),
        plots);
  }
}
