package io.sluice.bench.hadoop;

import io.sluice.bench.Comparison;
import io.sluice.bench.CostPlot;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.job.JobCosts;
import io.sluice.it.report.Console;
import io.sluice.it.report.Machine;
import io.sluice.it.report.ResultFiles;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * TeraSort in all variants in turn, several rounds on one cluster: figures, never assertions. Each
 * output of the first round is validated, so that no figure is one of a wrong result.
 *
 * <p>Not thread-safe; the cluster is its caller's.
 */
public final class HadoopBench {
  private final PseudoCluster cluster;
  private final Console console;
  private final long sizeBytes;
  private final List<HadoopVariant> variants;

  public HadoopBench(PseudoCluster cluster, Console console, long sizeBytes) {
    this.cluster = cluster;
    this.console = console;
    this.sizeBytes = sizeBytes;
    this.variants = HadoopVariant.available(cluster.spec().sluice());
  }

  /** Runs all rounds and writes the results. */
  public void run(int rounds, ResultFiles results) {
    TeraSort tera = new TeraSort(cluster, "/bench", sizeBytes);
    console.job("TeraGen, " + Size.show(sizeBytes), tera::generate);
    Comparison comparison = new Comparison();
    for (int round = 1; round <= rounds; round++) {
      comparison.add(round(tera, round));
      if (round == 1) {
        for (HadoopVariant variant : variants) {
          console.job(
              "TeraValidate, " + variant.title(), progress -> tera.validate(variant, progress));
        }
      }
    }
    write(comparison, results);
  }

  private Map<HadoopVariant, JobCosts> round(TeraSort tera, int round) {
    Map<HadoopVariant, JobCosts> costs = new EnumMap<>(HadoopVariant.class);
    for (HadoopVariant variant : variants) {
      costs.put(
          variant,
          console.job(
              "Round %d, %s".formatted(round, variant.title()),
              progress -> tera.sort(variant, Map.of(), progress)));
    }
    return costs;
  }

  private void write(Comparison comparison, ResultFiles results) {
    String title =
        "TeraSort %s, %d rounds, Hadoop %s"
            .formatted(
                Size.show(sizeBytes),
                comparison.rounds().size(),
                cluster.spec().distribution().version());
    Machine machine = Machine.here();
    console.say("");
    console.say(title + "\n" + machine + "\n");
    console.say(comparison.table().toText());
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("title", title);
    all.put("machine", machine);
    all.put("rounds", comparison.rounds());
    console.say("results: " + results.json("bench", all));
    console.say(
        "table:   "
            + results.text(
                "bench.md", title + " on " + machine + "\n\n" + comparison.table().toMarkdown()));
    console.say(
        "plot:    "
            + results.write("bench.png", file -> CostPlot.draw(title, comparison.bars(), file)));
  }
}
