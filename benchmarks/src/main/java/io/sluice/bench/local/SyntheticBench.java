package io.sluice.bench.local;

import io.sluice.bench.SameOutput;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.local.ProcessCosts;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.nio.file.Path;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Hone's synthetic job on one machine, in each shape by everybody in turn, with equal outputs:
 * Figure 9 of the paper with our numbers.
 *
 * <p>Not thread-safe. A failed job or an output that differs is a {@link ClusterException}.
 */
public final class SyntheticBench {
  private static final String PROGRAM = "synthetic";

  /** Who can run it. */
  public static final Set<HoneVariant> VARIANTS =
      Collections.unmodifiableSet(
          EnumSet.of(HoneVariant.CLUSTER, HoneVariant.STOCK, HoneVariant.SLUICE));

  /** One of them is the special one of biased keys. */
  private static final int REDUCES = 4;

  private final Console console;
  private final HoneClients clients;
  private final List<SyntheticShape.Part> parts;
  private final long lines;
  private final Set<HoneVariant> variants;

  /**
   * Some parts, over a text of so many lines, run by those clients.
   *
   * @param variants some of {@link #VARIANTS}
   */
  public SyntheticBench(
      Console console,
      HoneClients clients,
      List<SyntheticShape.Part> parts,
      long lines,
      Set<HoneVariant> variants) {
    this.console = console;
    this.clients = clients;
    this.parts = List.copyOf(parts);
    this.lines = lines;
    this.variants = EnumSet.copyOf(variants);
  }

  /** Runs all rounds and writes the results, after each round anew. */
  public void run(int rounds, ResultFiles files) {
    Path input =
        console.step(
            "Text of %,d lines".formatted(lines),
            () -> clients.generate(PROGRAM, "generate-text", lines));
    SyntheticResults results = new SyntheticResults(parts, lines);
    for (int round = 1; round <= rounds; round++) {
      Map<HoneVariant, Map<String, ProcessCosts>> costs = new EnumMap<>(HoneVariant.class);
      variants.forEach(variant -> costs.put(variant, new TreeMap<>()));
      for (SyntheticShape shape : SyntheticShape.of(parts)) {
        run(shape, round, input, costs);
      }
      results.add(costs);
      results.page().write(files); // it may be ended before the last
    }
    results.page().show(console, files);
  }

  private void run(
      SyntheticShape shape,
      int round,
      Path input,
      Map<HoneVariant, Map<String, ProcessCosts>> costs) {
    Map<String, String> settings = shape.jobSettings();
    settings.put("mapreduce.job.reduces", Integer.toString(REDUCES));
    SameOutput<LinesDigest> same = new SameOutput<>(shape.title());
    for (HoneVariant variant : variants) {
      Path output = clients.output(PROGRAM, variant);
      costs
          .get(variant)
          .put(
              shape.title(),
              console.step(
                  "Round %d, %s, %s".formatted(round, shape.title(), variant.title()),
                  () -> clients.run(variant, PROGRAM, settings, input, output, List.of())));
      same.add(variant.title(), LinesDigest.of(output));
      Workspace.delete(output);
    }
  }
}
