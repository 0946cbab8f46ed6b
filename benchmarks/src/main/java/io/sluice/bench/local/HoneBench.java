package io.sluice.bench.local;

import io.sluice.bench.Bench;
import io.sluice.bench.Comparison;
import io.sluice.bench.Comparison.Ratio;
import io.sluice.bench.Figure;
import io.sluice.bench.local.HoneClients.HoneVariant;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.local.LocalJobClient.ProcessCosts;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.nio.file.Path;
import java.util.EnumMap;
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
 *
 * @param console says what runs
 * @param clients that run the workloads
 * @param workloads in their order
 * @param size of their inputs
 * @param variants in their order
 */
public record HoneBench(
    Console console,
    HoneClients clients,
    List<HoneWorkload> workloads,
    HoneWorkload.InputSize size,
    Set<HoneVariant> variants) {
  private static final Map<String, Integer> SETTINGS = Map.of("mapreduce.job.reduces", 2);

  /** Runs all rounds and writes the results. */
  public void run(int rounds, ResultFiles results) {
    Comparison<HoneVariant, Map<HoneWorkload, ProcessCosts>> comparison =
        new Comparison<>(
            Ratio.against(
                HoneVariant.SLUICE, HoneVariant.CLUSTER, HoneVariant.STOCK, HoneVariant.SPARK));
    Map<HoneWorkload, Path> inputs = new EnumMap<>(HoneWorkload.class);
    Map<String, Long> records = new LinkedHashMap<>();
    for (HoneWorkload workload : workloads) {
      String program = workload.program();
      long count = workload.records(size);
      records.put(program, count);
      inputs.put(
          workload,
          console.step(
              "Input of " + program, () -> clients.generate(program, workload.generator(), count)));
    }
    List<Figure<Map<HoneWorkload, ProcessCosts>>> figures =
        workloads.stream()
            .map(workload -> LocalFigure.WALL.ofCase(workload.program(), workload))
            .toList();
    String inputSize = size.name().toLowerCase(Locale.ROOT);
    Bench.of(
            "bench-hone-" + inputSize,
            "Hone's applications, %s inputs, wall of the client",
            inputSize)
        .data("records", records)
        .rounds(comparison)
        .table("", comparison, figures)
        .bars("", comparison, "wall, in per cent of Sluice's", figures)
        .run(
            rounds,
            comparison,
            round ->
                Bench.inTurn(
                    workloads,
                    variants,
                    (workload, variant) -> measure(workload, variant, inputs.get(workload)),
                    HoneWorkload::program,
                    (workload, variant) -> clients.takeOutput(workload.program(), variant)),
            console,
            results);
  }

  private ProcessCosts measure(HoneWorkload workload, HoneVariant variant, Path input) {
    return console.step(
        workload.program() + ", " + variant.title(),
        () -> clients.run(variant, workload.program(), SETTINGS, input, workload.more()));
  }

  /** Hone's five applications (its section 5.2), in the module workloads. */
  public enum HoneWorkload {
    WORD_COUNT("wordcount", "generate-text", List.of(), 800_000, 3_200_000, 12_800_000),
    K_MEANS("kmeans", "generate-points", List.of("10", "1"), 1_000_000, 4_000_000, 16_000_000),
    INVERTED_INDEX("invertedindex", "generate-documents", List.of(), 50_000, 200_000, 800_000),
    PAGE_RANK("pagerank", "generate-graph", List.of("1"), 100_000, 400_000, 1_600_000),
    LDA("lda", "generate-documents", List.of("10", "1"), 2_000, 8_000, 32_000);

    /** How large an input is; for a machine of two cores, as Hone's were for one of sixteen. */
    public enum InputSize {
      SMALL,
      MEDIUM,
      LARGE
    }

    private final String program;
    private final String generator;
    private final List<String> more;
    private final List<Long> records;

    HoneWorkload(
        String program, String generator, List<String> more, long small, long medium, long large) {
      this.program = program;
      this.generator = generator;
      this.more = more;
      this.records = List.of(small, medium, large);
    }

    String program() {
      return program;
    }

    String generator() {
      return generator;
    }

    /** The arguments behind input and output; there is one iteration, as in the paper. */
    List<String> more() {
      return more;
    }

    long records(InputSize size) {
      return records.get(size.ordinal());
    }
  }
}
