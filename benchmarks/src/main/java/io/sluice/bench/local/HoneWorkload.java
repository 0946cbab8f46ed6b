package io.sluice.bench.local;

import java.util.List;

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

  /** What follows input and output; of iterations there is one, as in the paper. */
  List<String> more() {
    return more;
  }

  long records(InputSize size) {
    return records.get(size.ordinal());
  }
}
